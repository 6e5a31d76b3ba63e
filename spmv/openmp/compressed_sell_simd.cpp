#include "stiefel/spmv/openmp/compressed/rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/slice_blocks.hpp"

namespace stiefel::openmp {

namespace {

/// finish(i, (A x)_i) for every row, slice by slice or, where an inner product is asked for, in its blocks.
template <class Stored, class T, class Finish>
void multiply(OpenMP& backend, const HostCompressedSell<Stored>& a, const SpmvArguments<T>& s, const Finish& finish) {
    if (s.dot == nullptr) return for_compressed_rows(backend, a, s.x, finish);
    const auto product = compressed::slice_product<Stored, T>();
    for_slice_blocks(backend, a, s, [&](Index slice) { compressed::finish_slice(product, a, slice, s.x, finish); });
}

}  // namespace

template <class Stored, class T>
void compressed_sell_simd(OpenMP& backend, const HostCompressedSell<Stored>& a, const SpmvArguments<T>& s) {
    T* const y = s.y;
    const T alpha = s.alpha, beta = s.beta;
    if (beta == T{0}) {
        multiply(backend, a, s, [=](Index row, T sum) { y[row] = alpha * sum; });
    } else {
        multiply(backend, a, s, [=](Index row, T sum) { y[row] = alpha * sum + beta * y[row]; });
    }
}

template void compressed_sell_simd(OpenMP&, const HostCompressedSell<double>&, const SpmvArguments<double>&);
template void compressed_sell_simd(OpenMP&, const HostCompressedSell<float>&, const SpmvArguments<float>&);
template void compressed_sell_simd(OpenMP&, const HostCompressedSell<float>&, const SpmvArguments<double>&);

}  // namespace stiefel::openmp
