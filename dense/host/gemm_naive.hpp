#pragma once

#include "stiefel/dense/gemm_kernels.hpp"

namespace stiefel {

/// Row i of C by the definition, one inner product after the other. B is read down its columns: each step of the inner
/// loop lands in another cache line.
template <class T>
void gemm_naive_row(const GemmArguments<T>& g, Size i) {
    for (Index j = 0; j < g.n; ++j) {
        T sum = 0;
        for (Index p = 0; p < g.k; ++p) sum += g.a(i, p) * g.b(p, j);
        g.store(i, j, sum);
    }
}

}  // namespace stiefel
