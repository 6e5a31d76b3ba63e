#pragma once

#include "stiefel/core/work.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/ellpack.hpp"
#include "stiefel/spmv/sell.hpp"

#include <algorithm>

namespace stiefel {

// The least that y = A x must move in each format: every nonzero with its column once, x once, y once, and what the
// format needs to find the rows. Padding is not work: a format that reads it falls short of its floor.

namespace detail {

template <class T>
Work spmv_work(Size nnz, Index n_rows, Index n_cols, double structure_bytes) {
    const double entry = sizeof(T) + sizeof(Index);
    const double vectors = (static_cast<double>(n_rows) + n_cols) * sizeof(T);
    return {static_cast<double>(nnz) * entry + vectors + structure_bytes, 2.0 * static_cast<double>(nnz)};
}

}  // namespace detail

template <class T, class Memory>
Work spmv_work(const Csr<T, Memory>& a) {
    return detail::spmv_work<T>(a.nnz(), a.n_rows, a.n_cols, static_cast<double>(a.row_ptr.bytes()));
}

template <class T, class Memory>
Work spmv_work(const Ellpack<T, Memory>& a) {
    return detail::spmv_work<T>(a.nnz(), a.n_rows, a.n_cols, 0);
}

template <class T, class Memory>
Work spmv_work(const Sell<T, Memory>& a) {
    return detail::spmv_work<T>(a.nnz(), a.n_rows, a.n_cols,
                                static_cast<double>(a.slice_ptr.bytes() + a.row_of_slot.bytes()));
}

template <class T, class Memory>
Work spmv_work(const CompressedSell<T, Memory>& a) {
    const double vectors = (static_cast<double>(a.n_rows) + a.n_cols) * sizeof(T);
    const auto values = std::min(static_cast<double>(a.nnz()) * sizeof(T), static_cast<double>(a.values.bytes()));
    return {static_cast<double>(a.bytes() - a.values.bytes()) + values + vectors, 2.0 * static_cast<double>(a.nnz())};
}

/// The least that Y = A X with k columns must move: the matrix once, X and Y once.
template <class Matrix>
Work spmm_work(const Matrix& a, Index k) {
    const Work one = spmv_work(a);
    const double vectors = (static_cast<double>(a.n_rows) + a.n_cols) * sizeof(typename Matrix::value_type);
    return {one.bytes + (k - 1) * vectors, one.flops * k};
}

}  // namespace stiefel
