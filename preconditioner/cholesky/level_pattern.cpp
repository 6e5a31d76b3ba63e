#include "stiefel/preconditioner/cholesky/level_pattern.hpp"

#include "stiefel/core/error.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel::cholesky {

namespace {

/// Rows of the pattern, one at a time.
template <class T>
class FilledRows {
public:
    FilledRows(const HostCsr<T>& a, Size level) : a_(a), level_(level), met_(a.n_rows, -1) {}

    /// Columns beside the diagonal that row j has, in the order in which they are met. Until the next call.
    std::vector<Index>& row(Index j) {
        found_.clear();
        nearest_.assign(1, j);
        met_[j] = j;
        a_.row_ptr.visit([&](const auto* row_ptr) {
            for (Size distance = 0; distance <= level_ && !nearest_.empty(); ++distance) {
                next_.clear();
                for (const Index at : nearest_) {
                    for (Size e = row_ptr[at]; e < row_ptr[at + 1]; ++e) meet(a_.col_idx[e], j);
                }
                nearest_.swap(next_);
            }
        });
        return found_;
    }

private:
    /// Paths go on through rows before j alone.
    void meet(Index i, Index j) {
        if (met_[i] == j) return;
        met_[i] = j;
        (i > j ? found_ : next_).push_back(i);
    }

    const HostCsr<T>& a_;
    Size level_;
    HostVector<Index> met_;  // the last row that each was met for
    std::vector<Index> found_ = {}, nearest_ = {}, next_ = {};
};

}  // namespace

template <class T>
HostCsr<T> with_fill(const HostCsr<T>& a, Size level, Size available) {
    constexpr Size copies = 4;  // this, the factor as it is computed, and two triangles in levels
    constexpr Size bytes = copies * static_cast<Size>(sizeof(T) + sizeof(Index));
    const Index n = a.n_rows;
    FilledRows<T> rows(a, level);
    HostVector<Size> start(Size{n} + 1);
    start[0] = 0;
    std::vector<Index> all;
    for (Index j = 0; j < n; ++j) {
        std::vector<Index>& row = rows.row(j);
        start[j + 1] = start[j] + 1 + static_cast<Size>(row.size());
        if (start[j + 1] > available / bytes) throw OutOfMemory("the factor of ic", start[j + 1] * bytes, available);
        std::sort(row.begin(), row.end());
        all.push_back(j);
        all.insert(all.end(), row.begin(), row.end());
    }
    HostCsr<T> filled{.n_rows = n, .n_cols = n};
    filled.col_idx = HostVector<Index>(start[n]);
    filled.values = HostVector<T>(start[n], T{0});
    std::copy(all.begin(), all.end(), filled.col_idx.begin());
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index j = 0; j < n; ++j) {
            const Index* const cols = filled.col_idx.data() + start[j];
            Size to = 0;
            for (Size e = row_ptr[j]; e < row_ptr[j + 1]; ++e) {
                if (a.col_idx[e] < j) continue;
                while (cols[to] != a.col_idx[e]) ++to;
                filled.values[start[j] + to] = a.values[e];
            }
        }
    });
    filled.row_ptr = RowOffsets<HostMemory>(std::move(start));
    return filled;
}

template HostCsr<double> with_fill(const HostCsr<double>&, Size, Size);
template HostCsr<float> with_fill(const HostCsr<float>&, Size, Size);

}  // namespace stiefel::cholesky
