#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/dense/cuda/ptx.cuh"

namespace stiefel::cuda {

// Panels times small matrices on the matrix units. With g = lane / 4 and t = lane % 4 a lane holds
//     X(row g, columns 2 t and 2 t + 1)       of 8 rows and each tile of 8 columns, as they lie in memory,
// and receives, in one of two shapes,
//     (X C)(row g, columns 2 t and 2 t + 1)   from multiply: as X lies, 16 rows at a time, or
//     (X C)(rows 2 t and 2 t + 1, column g)   from multiply_transposed, (X C)' = C' X': as a Gram matrix takes them.
// What lies outside of a panel is read as its last row and columns: no load depends on a comparison. Rows beyond the
// last then repeat it in their own part of the product, which is not stored; columns meet zeros of C.

template <class T>
struct alignas(2 * sizeof(T)) Pair {
    T first, second;
};

/// Where a lane stands.
struct Lane {
    int g = static_cast<int>(threadIdx.x) % 32 / 4;
    int t = static_cast<int>(threadIdx.x) % 4;
};

/// Whether pairs of columns lie in aligned pieces, and no column is left over.
template <class T>
bool in_pairs(const DeviceMatrix<T>& x) {
    return reinterpret_cast<std::uintptr_t>(x.data) % (2 * sizeof(T)) == 0 && x.ld % 2 == 0 && x.n_cols % 2 == 0;
}

/// Writes what lies inside of a panel of so many tiles: without branches, but for panels so wide that registers are
/// short.
template <int tiles, class T>
__device__ void put(bool inside, T* to, T value) {
    if constexpr (tiles > 4) {
        if (inside) *to = value;
    } else {
        store_if(inside, to, value);
    }
}
template <int tiles, class T>
__device__ void put(bool inside, T* to, const Pair<T>& value) {
    if constexpr (tiles > 4) {
        if (inside) *reinterpret_cast<Pair<T>*>(to) = value;
    } else {
        store_if(inside, to, value.first, value.second);
    }
}

/// What a warp holds of a panel: `groups` groups of 8 rows. `pairs`: the panel is in_pairs.
template <class T, int tiles, int groups, bool pairs>
struct PanelRows {
    Pair<T> pair[groups][tiles];

    template <class Element>
    __device__ void load(const MatrixView<Element, DeviceMemory>& x, Size first) {
#pragma unroll
        for (int u = 0; u < groups; ++u) {
#pragma unroll
            for (int i = 0; i < tiles; ++i) load(x, first, u, i);
        }
    }
    template <class Element>
    __device__ void load(const MatrixView<Element, DeviceMemory>& x, Size first, int u, int i) {
        const Lane lane;
        pair[u][i] = load_pair(x, first + 8 * u + lane.g, 8 * i + 2 * lane.t);
    }

    /// Tile i of group u, as `value` says, to its place.
    __device__ static void store(const DeviceMatrix<T>& x, Size first, int u, int i, const Pair<T>& value) {
        const Lane lane;
        const Size row = first + 8 * u + lane.g;
        const int col = 8 * i + 2 * lane.t;
        T* const to = x.data + row * x.ld + col;
        if constexpr (pairs) {
            put<tiles>(row < x.n_rows && col < x.n_cols, to, value);
        } else {
            put<tiles>(row < x.n_rows && col < x.n_cols, to, value.first);
            put<tiles>(row < x.n_rows && col + 1 < x.n_cols, to + 1, value.second);
        }
    }

    /// Rows times the square roots of a diagonal.
    template <class Scale>
    __device__ void scale_rows(const Scale& scale, Size first, Size n_rows) {
        if constexpr (!Scale::is_identity) {
            const Lane lane;
#pragma unroll
            for (int u = 0; u < groups; ++u) {
                const Size row = first + 8 * u + lane.g;
                const T factor = row < n_rows ? static_cast<T>(sqrt(scale(row, T{1}))) : T{0};
#pragma unroll
                for (int i = 0; i < tiles; ++i) {
                    pair[u][i].first *= factor;
                    pair[u][i].second *= factor;
                }
            }
        }
    }

private:
    template <class Element>
    __device__ static Pair<T> load_pair(const MatrixView<Element, DeviceMemory>& x, Size row, int col) {
        const T* const from = x.data + min(row, Size{x.n_rows} - 1) * x.ld;
        if constexpr (pairs) return *reinterpret_cast<const Pair<T>*>(from + min(col, x.n_cols - 2));
        return {from[min(col, x.n_cols - 1)], from[min(col + 1, x.n_cols - 1)]};
    }
};

/// A small matrix C in shared memory, in the order in which lanes take its elements.
template <int tiles>
struct SharedFactor {
    static constexpr int size = tiles * tiles * 64;
    double* elements;

    /// k x k, row-major; all threads of the block take part, and must meet before it is used.
    __device__ void load(const double* matrix, int k, bool transposed, double factor) const {
        for (int e = static_cast<int>(threadIdx.x); e < size; e += static_cast<int>(blockDim.x)) {
            const int lane = e / 2 % 32;
            const int in = e / 64 % tiles * 8 + lane % 4 * 2 + e % 2;
            const int out = e / 64 / tiles * 8 + lane / 4;
            const bool inside = in < k && out < k;
            elements[e] = inside ? factor * matrix[transposed ? out * k + in : in * k + out] : 0;
        }
    }

    /// C(rows 8 i + 2 t and 8 i + 2 t + 1, column 8 j + g)
    __device__ Pair<double> pair(int j, int i) const {
        __builtin_assume(__isShared(elements));  // or loads would wait for stores to panels
        return reinterpret_cast<const Pair<double>*>(
            elements)[(j * tiles + i) * 32 + static_cast<int>(threadIdx.x) % 32];
    }

    /// sums += what tile i of 16 rows, `upper` and `lower` 8 of them, adds to tile j of X C: two pairs of the product.
    template <class T>
    __device__ void multiply(double (&sums)[4], int j, int i, const Pair<T>& upper, const Pair<T>& lower) const {
        const Pair<double> c = pair(j, i);
        multiply_16x8x8(sums,
                        {static_cast<double>(upper.first), static_cast<double>(lower.first),
                         static_cast<double>(upper.second), static_cast<double>(lower.second)},
                        {c.first, c.second});
    }

    /// sums += what tile i of 8 rows adds to tiles j and j + 1 of X C, if there are two: rows 2 t and 2 t + 1 of the
    /// one, then of the other.
    template <class T>
    __device__ void multiply_transposed(double (&sums)[4], int j, int i, const Pair<T>& x) const {
        const Pair<double> upper = pair(j, i);
        if constexpr (tiles == 1) {
            double only[2] = {sums[0], sums[1]};
            multiply_8x8x4(only, upper.first, static_cast<double>(x.first));
            multiply_8x8x4(only, upper.second, static_cast<double>(x.second));
            sums[0] = only[0];
            sums[1] = only[1];
        } else {
            const Pair<double> lower = pair(j + 1, i);
            multiply_16x8x8(sums, {upper.first, lower.first, upper.second, lower.second},
                            {static_cast<double>(x.first), static_cast<double>(x.second)});
        }
    }
};

/// Element (row, col) of a panel, 0 outside; and its place written to.
template <class T, class Element>
__device__ T load_element(const MatrixView<Element, DeviceMemory>& x, Size row, int col) {
    return row < x.n_rows && col < x.n_cols ? x.data[row * x.ld + col] : T{0};
}
template <int tiles, class T>
__device__ void store_element(const DeviceMatrix<T>& x, Size row, int col, T value) {
    put<tiles>(row < x.n_rows && col < x.n_cols, x.data + row * x.ld + col, value);
}

}  // namespace stiefel::cuda
