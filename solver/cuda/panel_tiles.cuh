#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/dense/cuda/ptx.cuh"

namespace stiefel::cuda {

// Panels times small matrices on the matrix units, 8 rows of the panel by 8 columns at a time. The products are taken
// transposed, (X C)' = C' X', so that what a lane gets of them are the elements that it needs for a Gram matrix of the
// product: with g = lane / 4 and t = lane % 4 a lane
//     loads    X(row g, columns 8 s + 2 t and 8 s + 2 t + 1)        of each tile s of 8 columns
//     receives (X C)(rows 2 t and 2 t + 1, column 8 j + g)          of each tile j.
// Rows and columns outside of a panel are zeros.

template <class T>
struct alignas(2 * sizeof(T)) Pair {
    T first, second;
};

/// Where a lane stands.
struct Lane {
    int g = static_cast<int>(threadIdx.x) % 32 / 4;
    int t = static_cast<int>(threadIdx.x) % 4;
};

/// X(row g, columns 8 s + 2 t, + 1). `pairs`: both lie in one aligned piece, and the panel has no odd column.
template <bool pairs, class T, class Element>
__device__ Pair<T> load_row_pair(const MatrixView<Element, DeviceMemory>& x, Size row, int col) {
    if (row >= x.n_rows || col >= x.n_cols) return {T{0}, T{0}};
    const T* const from = x.data + row * x.ld + col;
    if constexpr (pairs) return *reinterpret_cast<const Pair<T>*>(from);
    return {from[0], col + 1 < x.n_cols ? from[1] : T{0}};
}

template <class T>
bool in_pairs(const DeviceMatrix<T>& x) {
    return reinterpret_cast<std::uintptr_t>(x.data) % (2 * sizeof(T)) == 0 && x.ld % 2 == 0 && x.n_cols % 2 == 0;
}

/// A small matrix in shared memory, in the order in which lanes take its elements: see multiply_rows.
template <int tiles>
struct SharedFactor {
    static constexpr int size = tiles * tiles * 64;
    double* elements;

    /// k x k, row-major; all threads of the block take part, and must meet before it is used.
    __device__ void load(const double* matrix, int k, bool transposed, double factor) const {
        for (int e = static_cast<int>(threadIdx.x); e < size; e += static_cast<int>(blockDim.x)) {
            const int lane = e % 32;
            const int in = e / 64 % tiles * 8 + lane % 4 * 2 + e / 32 % 2;
            const int out = e / 64 / tiles * 8 + lane / 4;
            const bool inside = in < k && out < k;
            elements[e] = inside ? factor * matrix[transposed ? out * k + in : in * k + out] : 0;
        }
    }

    /// sums += what the pairs of columns 8 s + 2 t of 8 rows add to (X C) tile j.
    template <class T>
    __device__ void multiply(double (&sums)[2], int j, int s, const Pair<T>& x) const {
        __builtin_assume(__isShared(elements));  // or loads would wait for stores to panels
        const double* const own = elements + (j * tiles + s) * 64 + static_cast<int>(threadIdx.x) % 32;
        multiply_8x8x4(sums, own[0], static_cast<double>(x.first));
        multiply_8x8x4(sums, own[32], static_cast<double>(x.second));
    }
};

/// Element (row, col) of a panel, 0 outside; and its place written to.
template <class T, class Element>
__device__ T load_element(const MatrixView<Element, DeviceMemory>& x, Size row, int col) {
    return row < x.n_rows && col < x.n_cols ? x.data[row * x.ld + col] : T{0};
}
template <class T>
__device__ void store_element(const DeviceMatrix<T>& x, Size row, int col, T value) {
    if (row < x.n_rows && col < x.n_cols) x.data[row * x.ld + col] = value;
}

}  // namespace stiefel::cuda
