#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// P A P': row and column k of the result are row and column order[k] of A.
/// a: n x n; order: each of 0 .. n - 1 once. Throws InvalidArgument otherwise.       Two passes over A, rows are
/// sorted.
template <class T>
HostCsr<T> permuted(OpenMP& backend, const HostCsr<T>& a, const HostVector<Index>& order);

/// Element k of the result is element order[k] of each of the columns of v, which lie one behind the other.
template <class T>
HostVector<T> permuted(const HostVector<T>& v, const HostVector<Index>& order) {
    HostVector<T> result(v.size());
    const Size n = order.size();
    for (Size begin = 0; begin < v.size(); begin += n) {
        for (Size k = 0; k < n; ++k) result[begin + k] = v[begin + order[k]];
    }
    return result;
}

/// What permuted() took apart: element order[k] of the result is element k of v.
template <class T>
HostVector<T> permuted_back(const HostVector<T>& v, const HostVector<Index>& order) {
    HostVector<T> result(v.size());
    const Size n = order.size();
    for (Size begin = 0; begin < v.size(); begin += n) {
        for (Size k = 0; k < n; ++k) result[begin + order[k]] = v[begin + k];
    }
    return result;
}

}  // namespace stiefel
