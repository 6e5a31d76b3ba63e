#include "stiefel/preconditioner/fsai/couplings.hpp"

#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/scan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiefel::fsai {

namespace {

/// What stays of the entries of a row that is too long. One object for each thread, or each row that needs one.
class Largest {
public:
    /// Numbers of those that stay, ascending; entry `own` always does.
    template <class Weight>
    const std::vector<Size>& among(Size n, Size own, const Weight& weight) {
        kept_.clear();
        for (Size e = 0; e < n; ++e) {
            if (e != own) kept_.push_back(e);
        }
        const auto larger = [&](Size a, Size b) { return weight(a) != weight(b) ? weight(a) > weight(b) : a < b; };
        const auto others = kept_.begin() + (Options::longest_row - 1);
        std::nth_element(kept_.begin(), others, kept_.end(), larger);
        kept_.erase(others, kept_.end());
        kept_.push_back(own);
        std::sort(kept_.begin(), kept_.end());
        return kept_;
    }

private:
    std::vector<Size> kept_;
};

/// f(e) for the entries of row i that stay, in their order.
template <class Offset, class F>
void for_strong(const HostCsr<double>& s, const Offset* row_ptr, Index i, double threshold, F&& f) {
    const Size first = row_ptr[i], last = row_ptr[i + 1];
    const auto weight = [&](Size e) {
        const double value = std::abs(s.values[e]);
        return s.col_idx[e] == i || value > threshold ? value : 0;
    };
    Size count = 0, own = first;
    for (Size e = first; e < last; ++e) {
        count += weight(e) > 0;
        if (s.col_idx[e] == i) own = e;
    }
    if (count > Options::longest_row) {
        Largest largest;
        const auto& kept = largest.among(last - first, own - first, [&](Size e) { return weight(first + e); });
        for (const Size e : kept) f(first + e);
        return;
    }
    for (Size e = first; e < last; ++e) {
        if (weight(e) > 0) f(e);
    }
}

}  // namespace

HostCsr<double> strong_couplings(OpenMP& backend, const HostCsr<double>& s, double threshold) {
    HostVector<Size> ends(Size{s.n_rows} + 1);
    ends[0] = 0;
    HostCsr<double> strong{.n_rows = s.n_rows, .n_cols = s.n_cols};
    s.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic, 1024) if (s.nnz() > 20000)
        for (Index i = 0; i < s.n_rows; ++i) {
            Size count = 0;
            for_strong(s, row_ptr, i, threshold, [&](Size) { ++count; });
            ends[Size{i} + 1] = count;
        }
        inclusive_scan(backend, ends.data(), ends.size());
        strong.col_idx = HostVector<Index>(ends[s.n_rows]);
        strong.values = HostVector<double>(ends[s.n_rows]);
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic, 1024) if (s.nnz() > 20000)
        for (Index i = 0; i < s.n_rows; ++i) {
            Size to = ends[i];
            for_strong(s, row_ptr, i, threshold, [&](Size e) {
                strong.col_idx[to] = s.col_idx[e];
                strong.values[to++] = s.values[e];
            });
        }
    });
    strong.row_ptr = row_offsets(backend, std::move(ends));
    return strong;
}

RowPatterns::RowPatterns(const HostCsr<double>& couplings, Size power)
    : couplings_(couplings), power_(power), place_(static_cast<std::size_t>(couplings.n_rows), -1) {}

void RowPatterns::append(Index i, std::vector<Index>& cols) {
    const Index all = couplings_.n_cols - 1;
    begin(i, power_ == 1 ? i : all);
    for (Size k = 2; k <= power_; ++k) {
        multiply(k == power_ ? i : all);
        limit(i);
    }
    for (const Entry& entry : row_) cols.push_back(entry.col);
}

/// Row i of the couplings, up to that column.
void RowPatterns::begin(Index i, Index last) {
    row_.clear();
    couplings_.row_ptr.visit([&](const auto* row_ptr) {
        for (Size e = row_ptr[i]; e < row_ptr[i + 1] && couplings_.col_idx[e] <= last; ++e) {
            row_.push_back({couplings_.col_idx[e], std::abs(couplings_.values[e])});
        }
    });
}

/// The row at hand times the couplings, up to that column.
void RowPatterns::multiply(Index last) {
    next_.clear();
    couplings_.row_ptr.visit([&](const auto* row_ptr) {
        for (const Entry& own : row_) {
            for (Size e = row_ptr[own.col]; e < row_ptr[own.col + 1] && couplings_.col_idx[e] <= last; ++e) {
                const Index col = couplings_.col_idx[e];
                Index& place = place_[static_cast<std::size_t>(col)];
                if (place < 0) {
                    place = static_cast<Index>(next_.size());
                    next_.push_back({col, 0});
                }
                next_[static_cast<std::size_t>(place)].weight += own.weight * std::abs(couplings_.values[e]);
            }
        }
    });
    for (const Entry& entry : next_) place_[static_cast<std::size_t>(entry.col)] = -1;
    std::sort(next_.begin(), next_.end(), [](const Entry& a, const Entry& b) { return a.col < b.col; });
    std::swap(row_, next_);
}

void RowPatterns::limit(Index i) {
    if (static_cast<Index>(row_.size()) <= Options::longest_row) return;
    const auto at = [&](Size e) -> Entry& { return row_[static_cast<std::size_t>(e)]; };
    const auto own = std::ranges::lower_bound(row_, i, {}, &Entry::col) - row_.begin();
    Largest largest;
    Size to = 0;
    for (const Size e : largest.among(static_cast<Size>(row_.size()), own, [&](Size e) { return at(e).weight; })) {
        at(to++) = at(e);
    }
    row_.resize(static_cast<std::size_t>(to));
}

}  // namespace stiefel::fsai
