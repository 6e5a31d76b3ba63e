#pragma once

#if defined(__AVX2__)
#include "stiefel/spmv/openmp/compressed/code.hpp"
#endif
#include "stiefel/spmv/openmp/compressed/columns.hpp"
#include "stiefel/spmv/openmp/compressed/kernel.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"

// The products with the rows of a CompressedSell, for kernels that go on with them while they are at hand.

namespace stiefel {

namespace compressed {

/// What multiplies a slice: where all is compiled for wide registers its text, inlined, else a call of that for the
/// widest of the machine. Calls take a tenth to a fifth longer where rows are short and values in the cache.
template <class Stored, class T>
auto slice_product() {
#if defined(__AVX2__)
    return [](const SliceEntries<Stored>& slice, const T* x, T* sums) __attribute__((always_inline)) {
        multiply_slice<Stored, T>(slice, x, sums);
    };
#else
    return widest_slice_product<Stored, T>();
#endif
}

/// f(slice) in parallel.
template <class Stored, class F>
void for_slices(OpenMP& backend, const HostCompressedSell<Stored>& a, const F& f) {
    for_blocks(backend, a.n_slices(), a.bytes_read() > parallel_threshold_bytes, nullptr, [&](Index slice) {
        f(slice);
        return 0.0;
    });
}

/// finish(i, (A x)_i) for the rows i of a slice, several at once where that can be. values: those of A, or what stands
/// for them.
template <class Multiply, class OfA, class Stored, class T, class Finish>
[[gnu::always_inline]] inline void finish_slice(const Multiply& multiply, const HostCompressedSell<OfA>& a,
                                                const Stored* values, Index slice, const T* x, const Finish& finish) {
    const auto& at = a.slices[slice];
    const Index first_row = slice * height;
    alignas(64) T sum[height];
    multiply({.values = values + at.group * height,
              .base = a.base.data() + at.group,
              .distances = a.distances.data() + at.distance,
              .n_groups = at.n_groups,
              .columns = at.columns,
              .padded = at.padded},
             x + (at.columns == SliceColumns::diagonals ? first_row : 0), sum);
    if (a.row_of_slot.empty() && first_row <= a.n_rows - height) {
#pragma omp simd
        for (Index lane = 0; lane < height; ++lane) finish(first_row + lane, sum[lane]);
        return;
    }
    for (Index lane = 0; lane < height; ++lane) {
        const Index row = a.row(Size{first_row} + lane);
        if (row < a.n_rows) finish(row, sum[lane]);
    }
}

template <class Multiply, class Stored, class T, class Finish>
[[gnu::always_inline]] inline void finish_slice(const Multiply& multiply, const HostCompressedSell<Stored>& a,
                                                Index slice, const T* x, const Finish& finish) {
    finish_slice(multiply, a, a.values.data(), slice, x, finish);
}

}  // namespace compressed

/// finish(i, (A x)_i) for every row i, several at once where that can be: what it writes, no row but i may read.
/// values: those of A, or what stands for them.
template <class OfA, class Stored, class T, class Finish>
void for_compressed_rows(OpenMP& backend, const HostCompressedSell<OfA>& a, const Stored* values, const T* x,
                         const Finish& finish) {
    const auto multiply = compressed::slice_product<Stored, T>();
    compressed::for_slices(backend, a,
                           [&](Index slice) { compressed::finish_slice(multiply, a, values, slice, x, finish); });
}

template <class Stored, class T, class Finish>
void for_compressed_rows(OpenMP& backend, const HostCompressedSell<Stored>& a, const T* x, const Finish& finish) {
    for_compressed_rows(backend, a, a.values.data(), x, finish);
}

}  // namespace stiefel
