#pragma once

#include "stiefel/spmv/products/cuda/two_passes.cuh"

// The rows of a product of two matrices, for TwoPasses.

namespace stiefel::cuda {

/// Row i of A B: entry k of A's row brings the row of B with the number of its column. Offsets is a pointer, or
/// OffsetsView where one of the matrices is large.
template <class Offset, class Offsets>
struct ProductPattern : PatternBase<Offset> {
    Index n_rows;
    Index n_cols;
    Offsets a_ptr;
    const Index* a_cols;
    Offsets b_ptr;
    const Index* b_cols;
    double b_mean;

    static constexpr int block_lanes = 8;

    template <class T>
    ProductPattern(const CsrView<T>& a, const CsrView<T>& b, const Offsets& of_a, const Offsets& of_b)
        : n_rows(a.n_rows),
          n_cols(b.n_cols),
          a_ptr(of_a),
          a_cols(a.col_idx),
          b_ptr(of_b),
          b_cols(b.col_idx),
          b_mean(b.mean_row()) {}

    __device__ Offset begin(Index i) const { return a_ptr[i]; }
    __device__ Offset end(Index i) const { return a_ptr[Size{i} + 1]; }
    __device__ Terms<Offset> terms(Index, Offset k) const {
        const Size j = a_cols[k];
        return {b_ptr[j], b_ptr[j + 1]};
    }
    __device__ Index col(Offset t) const { return b_cols[t]; }

    /// As many lanes as a row of B has entries; a whole warp where the table is large, so that tables are few, and
    /// where rows are few, so that several entries are under way.
    template <class F>
    void with_lanes(int l, F&& f) const {
        constexpr Index few_rows = 1 << 15;
        const bool narrow = b_mean <= 16;
        if (l >= 2 || n_rows < few_rows)
            return narrow ? f.template operator()<32, 8>() : f.template operator()<32, 32>();
        if (!narrow) return f.template operator()<32, 32>();
        return b_mean <= 5 ? f.template operator()<4, 4>() : f.template operator()<8, 8>();
    }
};

/// Base: a ProductPattern, or one that leaves some of its terms out.
template <class T, class Offset, class Offsets, class Base = ProductPattern<Offset, Offsets>>
struct ProductRows : Base {
    using Pattern = Base;
    using value_type = T;
    using factor_type = T;

    const T* a_values;
    const T* b_values;

    ProductRows(const CsrView<T>& a, const CsrView<T>& b, const Offsets& of_a, const Offsets& of_b)
        : Pattern(a, b, of_a, of_b), a_values(a.values), b_values(b.values) {}

    __device__ T factor(Index, Offset k) const { return a_values[k]; }
    __device__ T product(T factor, Offset t) const { return factor * b_values[t]; }
};

}  // namespace stiefel::cuda
