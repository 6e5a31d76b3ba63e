#include "stiefel/preconditioner/fsai/grown_patterns.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::fsai {

namespace {

constexpr std::size_t longest = Options::longest_row;
constexpr auto columns_a_step = static_cast<std::size_t>(Options::columns_a_step);

std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

GrownPatterns::GrownPatterns(const HostCsr<double>& s, const HostCsr<double>& couplings, Size steps, double least_pivot)
    : s_(s),
      couplings_(couplings),
      steps_(steps),
      least_pivot_(least_pivot),
      factor_(longest * longest),
      forward_(longest),
      solution_(longest),
      place_(at(s.n_rows), -1),
      slopes_(at(s.n_rows), 0) {}

void GrownPatterns::append(Index i, std::vector<Index>& cols) {
    begin(i);
    double energy = minimise();
    for (Size step = 0; step < steps_; ++step) {
        look_around(i);
        bool has_grown = false;
        for (const Candidate& candidate : candidates_) has_grown = take(candidate.col) || has_grown;
        if (!has_grown) break;
        const double before = energy;
        energy = minimise();
        if (!(energy < (1 - least_gain) * before)) break;
    }
    const std::size_t first = cols.size();
    cols.insert(cols.end(), row_.begin(), row_.end());
    std::sort(cols.begin() + static_cast<std::ptrdiff_t>(first), cols.end());
    end();
}

void GrownPatterns::begin(Index i) {
    row_.assign(1, i);
    place_[at(i)] = 0;
    factor_[0] = forward_[0] = 1;
}

/// The steepest columns before i that the row has not, of equals the first.
void GrownPatterns::look_around(Index i) {
    around_.clear();
    couplings_.row_ptr.visit([&](const auto* row_ptr) {
        for (std::size_t k = 0; k < row_.size(); ++k) {
            for (Size e = row_ptr[row_[k]]; e < row_ptr[row_[k] + 1] && couplings_.col_idx[e] < i; ++e) {
                const Index col = couplings_.col_idx[e];
                if (place_[at(col)] >= 0) continue;
                double& slope = slopes_[at(col)];
                if (slope == 0) around_.push_back(col);
                slope += couplings_.values[e] * solution_[k];
            }
        }
    });
    candidates_.clear();
    for (const Index col : around_) {
        // Twice where a sum was zero on the way; zero where it is.
        if (const double slope = std::abs(slopes_[at(col)]); slope > 0) candidates_.push_back({col, slope});
        slopes_[at(col)] = 0;
    }
    const std::size_t most = std::min({candidates_.size(), columns_a_step, longest - row_.size()});
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(candidates_.begin(), end, candidates_.end(), [](const Candidate& a, const Candidate& b) {
        return a.slope != b.slope ? a.slope > b.slope : a.col < b.col;
    });
    candidates_.resize(most);
}

/// Entries of S in a row, of the columns so far: by one pass over it, or, where it is dense, by looking for each.
void GrownPatterns::gather(Index col, double* to) const {
    constexpr Size dense = Size{8} * Options::longest_row;
    s_.row_ptr.visit([&](const auto* row_ptr) {
        const Size first = row_ptr[col], last = row_ptr[col + 1];
        const Index *const begin = s_.col_idx.data() + first, *const end = s_.col_idx.data() + last;
        if (last - first <= dense) {
            std::fill_n(to, row_.size(), 0.0);
            for (Size e = first; e < last; ++e) {
                if (const Index place = place_[at(s_.col_idx[e])]; place >= 0) to[place] = s_.values[e];
            }
            return;
        }
        for (std::size_t k = 0; k < row_.size(); ++k) {
            const Index* const found = std::lower_bound(begin, end, row_[k]);
            to[k] = found != end && *found == row_[k] ? s_.values[first + (found - begin)] : 0;
        }
    });
}

/// One more column, unless the system would not be definite.
bool GrownPatterns::take(Index col) {
    const std::size_t n = row_.size();
    double* const own = factor_.data() + n * longest;
    gather(col, own);
    double pivot = 1, sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double* const other = factor_.data() + k * longest;
        for (std::size_t m = 0; m < k; ++m) own[k] -= own[m] * other[m];
        own[k] /= other[k];
        pivot -= own[k] * own[k];
        sum += own[k] * forward_[k];
    }
    if (!(pivot > least_pivot_)) return false;
    own[n] = std::sqrt(pivot);
    forward_[n] = -sum / own[n];
    place_[at(col)] = static_cast<Index>(n);
    row_.push_back(col);
    return true;
}

/// The least energy of a row with these columns whose own entry is 1; what it is taken at is left in solution_.
double GrownPatterns::minimise() {
    const std::size_t n = row_.size();
    std::copy_n(forward_.begin(), n, solution_.begin());
    for (std::size_t k = n; k-- > 0;) {
        const double* const own = factor_.data() + k * longest;
        solution_[k] /= own[k];
        for (std::size_t m = 0; m < k; ++m) solution_[m] -= own[m] * solution_[k];
    }
    return 1 / solution_[0];
}

void GrownPatterns::end() {
    for (const Index col : row_) place_[at(col)] = -1;
}

}  // namespace stiefel::fsai
