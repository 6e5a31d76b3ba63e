#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/preconditioner/cholesky/checked_entries.hpp"
#include "stiefel/preconditioner/cholesky/level_pattern.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::cholesky {

namespace {

/// One attempt, with one shift. A is scaled to a unit diagonal: then a threshold is the same for all columns.
template <class T>
class Attempt {
public:
    /// a: with a level of fill its upper triangle alone, extended.
    Attempt(const HostCsr<T>& a, const HostVector<T>& diagonal, const IncompleteOptions& options, double shift)
        : a_(a),
          options_(options),
          scale_(a.n_rows),
          work_(a.n_rows, T{0}),
          next_column_(a.n_rows, -1),
          waiting_(a.n_rows, -1),
          at_(a.n_rows),
          mark_(a.n_rows, -1) {
        for (Index i = 0; i < a.n_rows; ++i) scale_[i] = T{1} / std::sqrt(diagonal[i]);
        factor_.n = a.n_rows;
        factor_.shift = shift;
        factor_.start.reserve(static_cast<std::size_t>(a.n_rows) + 1);
        factor_.start.push_back(0);
        const auto room = static_cast<std::size_t>(options.level > 0 ? a.nnz() : (a.nnz() + a.n_rows) / 2);
        factor_.rows.reserve(room);
        factor_.values.reserve(room);
    }

    /// False at a pivot that is not positive.
    bool run() {
        return a_.row_ptr.visit([&](const auto* row_ptr) {
            for (Index j = 0; j < a_.n_rows; ++j) {
                gather(row_ptr, j);
                subtract_earlier(j);
                if (!keep(j)) return false;
            }
            return true;
        });
    }

    /// L of A itself.
    IncompleteFactor<T> unscaled() {
        for (Size k = 0; k < factor_.nonzeros(); ++k) value(k) /= scale_[row(k)];
        return std::move(factor_);
    }

private:
    Index& row(Size k) { return factor_.rows[static_cast<std::size_t>(k)]; }
    T& value(Size k) { return factor_.values[static_cast<std::size_t>(k)]; }
    Size start(Index j) const { return factor_.start[static_cast<std::size_t>(j)]; }

    /// Column j of A, from the diagonal on.
    template <class Offset>
    void gather(const Offset* row_ptr, Index j) {
        pattern_.clear();
        T squares = 0;
        for (Size k = row_ptr[j]; k < row_ptr[j + 1]; ++k) {
            const Index i = a_.col_idx[k];
            if (i < j) continue;
            mark_[i] = j;
            if (i > j) pattern_.push_back(i);
            work_[i] = i == j ? static_cast<T>(1 + factor_.shift) : a_.values[k] * scale_[i] * scale_[j];
            squares += work_[i] * work_[i];
        }
        least_ = static_cast<T>(options_.threshold) * std::sqrt(squares);
        most_ = static_cast<Size>(options_.fill * static_cast<double>(pattern_.size() + 1)) - 1;  // beside the diagonal
    }

    /// What columns with an entry in row j take from it. Each waits in the list of the row of its next entry.
    void subtract_earlier(Index j) {
        const bool fills = options_.threshold > 0;
        for (Index k = waiting_[j]; k != -1;) {
            const Index after = next_column_[k];
            const Size end = start(k + 1);
            Size e = at_[k];
            const T factor = value(e);
            work_[j] -= factor * factor;
            wait(k, ++e, end);
            for (; e < end; ++e) {
                const Index i = row(e);
                if (mark_[i] != j) {
                    if (!fills) continue;
                    mark_[i] = j;
                    work_[i] = 0;
                    pattern_.push_back(i);
                }
                work_[i] -= factor * value(e);
            }
            k = after;
        }
    }

    void wait(Index column, Size e, Size end) {
        at_[column] = e;
        if (e == end) return;
        const Index i = row(e);
        next_column_[column] = waiting_[i];
        waiting_[i] = column;
    }

    /// Scales column j and appends what is kept of it.
    bool keep(Index j) {
        constexpr T least_pivot = static_cast<T>(1e-6);
        const T pivot = work_[j];
        if (!(pivot > least_pivot) || !std::isfinite(pivot)) return false;
        if (options_.threshold > 0) drop();
        std::sort(pattern_.begin(), pattern_.end());
        const T diagonal = std::sqrt(pivot);
        factor_.rows.push_back(j);
        factor_.values.push_back(diagonal);
        for (const Index i : pattern_) {
            factor_.rows.push_back(i);
            factor_.values.push_back(work_[i] / diagonal);
        }
        factor_.start.push_back(factor_.nonzeros());
        wait(j, start(j) + 1, start(j + 1));
        return true;
    }

    /// Small entries, and all but the largest where there are too many; of equals those of the first rows stay.
    void drop() {
        std::erase_if(pattern_, [&](Index i) { return !(std::abs(work_[i]) >= least_); });
        if (static_cast<Size>(pattern_.size()) <= most_) return;
        const auto larger = [&](Index i, Index k) {
            const T first = std::abs(work_[i]), second = std::abs(work_[k]);
            return first != second ? first > second : i < k;
        };
        std::nth_element(pattern_.begin(), pattern_.begin() + most_, pattern_.end(), larger);
        pattern_.erase(pattern_.begin() + most_, pattern_.end());
    }

    const HostCsr<T>& a_;
    const IncompleteOptions& options_;
    HostVector<T> scale_;
    HostVector<T> work_;               // the column at hand
    HostVector<Index> next_column_;    // in the list that a column waits in
    HostVector<Index> waiting_;        // the first column whose next entry is in a row
    HostVector<Size> at_;              // that entry
    HostVector<Index> mark_;           // the last column that a row was met in
    std::vector<Index> pattern_ = {};  // rows of the column at hand below the diagonal
    T least_ = 0;
    Size most_ = 0;
    IncompleteFactor<T> factor_ = {};
};

}  // namespace

template <class T>
IncompleteFactor<T> incomplete_factor(const HostCsr<T>& a, const IncompleteOptions& options) {
    constexpr double first_shift = 1e-3, growth = 4;
    require(a.n_rows == a.n_cols, "ic: A must be square");
    require(options.threshold >= 0 && options.threshold < 1, "ic: the threshold must lie in [0, 1)");
    require(options.fill >= 1, "ic: the fill must be 1 or more");
    require(options.level >= 0, "ic: the level must be 0 or more");
    require(options.level == 0 || options.threshold == 0, "ic: a level of fill and a threshold exclude each other");
    const HostVector<T> diagonal = positive_diagonal(a);
    const HostCsr<T> filled = options.level > 0 ? with_fill(a, options.level, available_memory()) : HostCsr<T>{};
    for (double shift = 0;; shift = shift == 0 ? first_shift : growth * shift) {
        Attempt<T> attempt(options.level > 0 ? filled : a, diagonal, options, shift);
        if (attempt.run()) return attempt.unscaled();
        if (shift == 0) require_finite(a);
        if (shift > most_shift) throw InvalidArgument("ic: A has entries that outweigh its diagonal by far");
    }
}

template IncompleteFactor<double> incomplete_factor(const HostCsr<double>&, const IncompleteOptions&);
template IncompleteFactor<float> incomplete_factor(const HostCsr<float>&, const IncompleteOptions&);

}  // namespace stiefel::cholesky
