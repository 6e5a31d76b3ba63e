#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/cuda/tiles.cuh"
#include "stiefel/dense/cuda/transpose_rungs.hpp"

namespace stiefel::cuda {

namespace {

constexpr int tile = 32;

/// Reads coalesced along a row of A; the warp's 32 writes land in 32 rows of B.
template <class T>
__global__ void naive_kernel(DeviceMatrix<const T> a, DeviceMatrix<T> b) {
    const TileOf place(a.n_cols, tile);
    const Size i = place.row * tile + threadIdx.y;
    const Size j = place.col * tile + threadIdx.x;
    if (i < a.n_rows && j < a.n_cols) b.data[j * b.ld + i] = a.data[i * a.ld + j];
}

/// Through a tile in shared memory, so that both the reads and the writes are coalesced. A warp reads a column of the
/// tile: with rows of 32 words all in one bank, with one word of padding all in different ones. Each thread moves
/// `per_thread` elements, all loads before the first store.
template <class T, int padding, int per_thread>
__global__ __launch_bounds__(tile* tile / per_thread) void tile_kernel(DeviceMatrix<const T> a, DeviceMatrix<T> b) {
    constexpr int rows = tile / per_thread;
    __shared__ T values[tile][tile + padding];
    const TileOf place(a.n_cols, tile);
    const Size i = place.row * tile;
    const Size j = place.col * tile;
    const int x = static_cast<int>(threadIdx.x);
    const int y = static_cast<int>(threadIdx.y);
    T moved[per_thread];
#pragma unroll
    for (int r = 0; r < per_thread; ++r) {
        const Size row = i + y + r * rows;
        moved[r] = row < a.n_rows && j + x < a.n_cols ? a.data[row * a.ld + j + x] : T{0};
    }
#pragma unroll
    for (int r = 0; r < per_thread; ++r) values[y + r * rows][x] = moved[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < per_thread; ++r) {
        const Size row = j + y + r * rows;
        if (row < a.n_cols && i + x < a.n_rows) b.data[row * b.ld + i + x] = values[x][y + r * rows];
    }
}

template <class T>
void launch(Cuda& backend, void (*kernel)(DeviceMatrix<const T>, DeviceMatrix<T>), int per_thread,
            const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b) {
    const unsigned blocks = count_tiles("transpose", a.n_rows, a.n_cols, tile);
    if (blocks == 0) return;
    kernel<<<blocks, dim3(tile, static_cast<unsigned>(tile / per_thread)), 0, backend.stream()>>>(a, b);
    check_cuda(cudaGetLastError(), "transposing");
}

}  // namespace

template <class T>
void transpose_naive(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b) {
    launch(backend, naive_kernel<T>, 1, a, b);
}
template <class T>
void transpose_shared(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b) {
    launch(backend, tile_kernel<T, 0, 1>, 1, a, b);
}
template <class T>
void transpose_padded(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b) {
    launch(backend, tile_kernel<T, 1, 1>, 1, a, b);
}
template <class T>
void transpose_unrolled(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b) {
    launch(backend, tile_kernel<T, 1, 4>, 4, a, b);
}

template void transpose_naive(Cuda&, const DeviceMatrix<const double>&, const DeviceMatrix<double>&);
template void transpose_naive(Cuda&, const DeviceMatrix<const float>&, const DeviceMatrix<float>&);
template void transpose_shared(Cuda&, const DeviceMatrix<const double>&, const DeviceMatrix<double>&);
template void transpose_shared(Cuda&, const DeviceMatrix<const float>&, const DeviceMatrix<float>&);
template void transpose_padded(Cuda&, const DeviceMatrix<const double>&, const DeviceMatrix<double>&);
template void transpose_padded(Cuda&, const DeviceMatrix<const float>&, const DeviceMatrix<float>&);
template void transpose_unrolled(Cuda&, const DeviceMatrix<const double>&, const DeviceMatrix<double>&);
template void transpose_unrolled(Cuda&, const DeviceMatrix<const float>&, const DeviceMatrix<float>&);

}  // namespace stiefel::cuda
