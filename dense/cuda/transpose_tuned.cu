#include "stiefel/dense/cuda/gemm_tiles.cuh"
#include "stiefel/dense/cuda/tiles.cuh"
#include "stiefel/dense/cuda/transpose_rungs.hpp"

#include <cstdint>
#include <utility>

namespace stiefel::cuda {

namespace {

/// 16 x 16 threads move a tile of 16 x 16 squares of V x V elements, one each: V loads of 16 bytes, the square turned
/// in registers, V stores into shared memory, V loads from there, V stores of 16 bytes. Rows of a tile are 256 bytes.
/// The chunks of a shared row are permuted by its square's number, so that neither side of the exchange meets in a
/// bank.
template <class T>
struct Squares {
    static constexpr int V = Chunk<T>::size;
    static constexpr int edge = 16;
    static constexpr int tile = edge * V;
    using Shared = Chunk<T>[tile][edge];

    __device__ static void turn(const Chunk<T> (&rows)[V], Shared& shared, int x, int y) {
#pragma unroll
        for (int c = 0; c < V; ++c) {
            Chunk<T> column;
#pragma unroll
            for (int r = 0; r < V; ++r) column[r] = rows[r][c];
            shared[x * V + c][y ^ x] = column;
        }
    }
    __device__ static Chunk<T> turned(const Shared& shared, int row, int x) {
        return shared[row][x ^ row / V];
    }
};

/// One chunk of a row, zero beyond the matrix; `vectors` if rows begin at multiples of 16 bytes.
template <class T, bool vectors>
__device__ Chunk<T> load(const T* data, Size ld, Size n_rows, Size n_cols, Size i, Size j) {
    constexpr int V = Chunk<T>::size;
    Chunk<T> out;
    const T* const from = data + i * ld + j;
    if (vectors && i < n_rows && j + V <= n_cols) return *reinterpret_cast<const Chunk<T>*>(from);
#pragma unroll
    for (int v = 0; v < V; ++v) out[v] = i < n_rows && j + v < n_cols ? from[v] : T{0};
    return out;
}

template <class T, bool vectors>
__device__ void store(T* data, Size ld, Size n_rows, Size n_cols, Size i, Size j, const Chunk<T>& chunk) {
    constexpr int V = Chunk<T>::size;
    T* const to = data + i * ld + j;
    if (vectors && i < n_rows && j + V <= n_cols) {
        // Nobody reads it soon: it may leave the caches first.
        __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&chunk));
        return;
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
        if (i < n_rows && j + v < n_cols) to[v] = chunk[v];
    }
}

template <class T, bool vectors>
__global__ __launch_bounds__(256) void tuned_kernel(DeviceMatrix<const T> a, DeviceMatrix<T> b) {
    using S = Squares<T>;
    constexpr int V = S::V;
    __shared__ typename S::Shared shared;
    const TileOf place(a.n_cols, S::tile);
    const Size i = place.row * S::tile;
    const Size j = place.col * S::tile;
    const int x = static_cast<int>(threadIdx.x) % S::edge;
    const int y = static_cast<int>(threadIdx.x) / S::edge;
    Chunk<T> rows[V];
#pragma unroll
    for (int r = 0; r < V; ++r) rows[r] = load<T, vectors>(a.data, a.ld, a.n_rows, a.n_cols, i + y * V + r, j + x * V);
    S::turn(rows, shared, x, y);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < V; ++r) {
        const int row = y + r * S::edge;
        store<T, vectors>(b.data, b.ld, b.n_rows, b.n_cols, j + row, i + x * V, S::turned(shared, row, x));
    }
}

/// A pair of mirrored tiles changes places; a block whose tile lies below the diagonal has nothing to do.
template <class T, bool vectors>
__global__ __launch_bounds__(256) void in_place_kernel(DeviceMatrix<T> a) {
    using S = Squares<T>;
    constexpr int V = S::V;
    __shared__ typename S::Shared upper, lower;
    const TileOf place(a.n_cols, S::tile);
    if (place.row > place.col) return;
    const Size i = place.row * S::tile;
    const Size j = place.col * S::tile;
    const int x = static_cast<int>(threadIdx.x) % S::edge;
    const int y = static_cast<int>(threadIdx.x) / S::edge;
    Chunk<T> rows[2][V];
#pragma unroll
    for (int r = 0; r < V; ++r) {
        rows[0][r] = load<T, vectors>(a.data, a.ld, a.n_rows, a.n_cols, i + y * V + r, j + x * V);
        rows[1][r] = load<T, vectors>(a.data, a.ld, a.n_rows, a.n_cols, j + y * V + r, i + x * V);
    }
    S::turn(rows[0], upper, x, y);
    S::turn(rows[1], lower, x, y);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < V; ++r) {
        const int row = y + r * S::edge;
        store<T, vectors>(a.data, a.ld, a.n_rows, a.n_cols, j + row, i + x * V, S::turned(upper, row, x));
        store<T, vectors>(a.data, a.ld, a.n_rows, a.n_cols, i + row, j + x * V, S::turned(lower, row, x));
    }
}

template <class T>
bool in_chunks(const DeviceMatrix<T>& a) {
    return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && a.ld * static_cast<Size>(sizeof(T)) % 16 == 0;
}

}  // namespace

template <class T>
void transpose_tuned(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b) {
    const unsigned blocks = count_tiles("transpose", a.n_rows, a.n_cols, Squares<T>::tile);
    if (blocks == 0) return;
    const auto kernel = in_chunks(a) && in_chunks(b) ? tuned_kernel<T, true> : tuned_kernel<T, false>;
    kernel<<<blocks, 256, 0, backend.stream()>>>(a, b);
    check_cuda(cudaGetLastError(), "transposing");
}

template <class T>
void transpose_square(Cuda& backend, const DeviceMatrix<T>& a) {
    const unsigned blocks = count_tiles("transpose_in_place", a.n_rows, a.n_cols, Squares<T>::tile);
    if (blocks == 0) return;
    const auto kernel = in_chunks(a) ? in_place_kernel<T, true> : in_place_kernel<T, false>;
    kernel<<<blocks, 256, 0, backend.stream()>>>(a);
    check_cuda(cudaGetLastError(), "transposing in place");
}

template void transpose_tuned(Cuda&, const DeviceMatrix<const double>&, const DeviceMatrix<double>&);
template void transpose_tuned(Cuda&, const DeviceMatrix<const float>&, const DeviceMatrix<float>&);
template void transpose_square(Cuda&, const DeviceMatrix<double>&);
template void transpose_square(Cuda&, const DeviceMatrix<float>&);

}  // namespace stiefel::cuda
