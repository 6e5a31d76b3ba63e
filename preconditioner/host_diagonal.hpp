#pragma once

#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel {

/// a_ii, or 0 where it is not stored.
template <class T, class Offset>
T diagonal_entry(const HostCsr<T>& a, const Offset* row_ptr, Index row) {
    const Index* const begin = a.col_idx.data() + row_ptr[row];
    const Index* const end = a.col_idx.data() + row_ptr[row + 1];
    const Index* const found = std::lower_bound(begin, end, row);
    return found != end && *found == row ? a.values[found - a.col_idx.data()] : T{0};
}

/// A's diagonal. Throws InvalidArgument naming the first row where it is not positive and finite.
template <class T>
HostVector<T> positive_diagonal(const HostCsr<T>& a, int threads = 1) {
    constexpr Index none = std::numeric_limits<Index>::max();
    HostVector<T> diagonal(a.n_rows);
    Index first_bad = none;
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : first_bad) if (a.n_rows > 4096)
        for (Index i = 0; i < a.n_rows; ++i) {
            diagonal[i] = diagonal_entry(a, row_ptr, i);
            if (!(diagonal[i] > 0) || !std::isfinite(diagonal[i])) first_bad = std::min(first_bad, i);
        }
    });
    if (first_bad != none) refuse_diagonal(first_bad, static_cast<double>(diagonal[first_bad]));
    return diagonal;
}

/// a_ii^-1/2 in double precision; throws as positive_diagonal() does.
template <class T>
HostVector<double> inverse_root_diagonal(const HostCsr<T>& a, int threads) {
    const HostVector<T> diagonal = positive_diagonal(a, threads);
    HostVector<double> inverse_roots(a.n_rows);
#pragma omp parallel for num_threads(threads) schedule(static) if (a.n_rows > 4096)
    for (Index i = 0; i < a.n_rows; ++i) inverse_roots[i] = 1 / std::sqrt(static_cast<double>(diagonal[i]));
    return inverse_roots;
}

}  // namespace stiefel
