#pragma once

#include "stiefel/core/multivector.hpp"
#include "support/matrices.hpp"

namespace stiefel::test {

/// A panel of random elements.
template <class T>
HostMultivector<T> random_panel(Index n, Index k, std::uint64_t seed) {
    return {random_vector<T>(Size{n} * k, seed), n, k};
}

template <class T>
HostMultivector<T> zero_panel(Index n, Index k) {
    return {HostVector<T>(Size{n} * k, T{0}), n, k};
}

template <class T>
HostVector<T> column(const HostMultivector<T>& a, Index j) {
    HostVector<T> v(a.n_rows());
    for (Index i = 0; i < a.n_rows(); ++i) v[i] = a.values()[Size{i} * a.n_cols() + j];
    return v;
}

template <class T>
void set_column(HostMultivector<T>& a, Index j, const HostVector<T>& v) {
    for (Index i = 0; i < a.n_rows(); ++i) a.values()[Size{i} * a.n_cols() + j] = v[i];
}

/// A diagonal matrix, whose solution and definiteness are plain to see.
template <class T>
HostCsr<T> diagonal_matrix(const std::vector<double>& diagonal) {
    std::vector<std::vector<std::pair<Index, T>>> rows;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        rows.push_back({{static_cast<Index>(i), static_cast<T>(diagonal[i])}});
    }
    return csr_from_rows<T>(static_cast<Index>(diagonal.size()), rows);
}

}  // namespace stiefel::test
