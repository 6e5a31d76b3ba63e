#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/cuda/gemm_rungs.hpp"
#include "stiefel/dense/cuda/tiles.cuh"

namespace stiefel::cuda {

namespace {

template <class T>
__device__ void store(const GemmArguments<T>& g, Size i, Size j, T sum) {
    T& place = g.c[i * g.ldc + j];
    place = g.beta == T{0} ? g.alpha * sum : g.alpha * sum + g.beta * place;
}

/// A thread an element of C; every operand comes from global memory every time.
template <class T>
__global__ void naive_kernel(GemmArguments<T> g) {
    const TileOf tile(g.n, 16);
    const Size i = tile.row * 16 + threadIdx.y;
    const Size j = tile.col * 16 + threadIdx.x;
    if (i >= g.m || j >= g.n) return;
    T sum = 0;
    for (Index p = 0; p < g.k; ++p) {
        sum += g.a.data[i * g.a.row_stride + p * g.a.col_stride] * g.b.data[p * g.b.row_stride + j * g.b.col_stride];
    }
    store(g, i, j, sum);
}

/// A thread an element of C, a block a tile: tiles of A and B pass through shared memory, where each element loaded
/// once serves `tile` threads.
template <class T, int tile>
__global__ void tiled_kernel(GemmArguments<T> g) {
    __shared__ T a[tile][tile];
    __shared__ T b[tile][tile];
    const TileOf place(g.n, tile);
    const int y = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(threadIdx.x);
    const Size i = place.row * tile + y;
    const Size j = place.col * tile + x;
    T sum = 0;
    for (Index k = 0; k < g.k; k += tile) {
        a[y][x] = i < g.m && k + x < g.k ? g.a.data[i * g.a.row_stride + (k + x) * g.a.col_stride] : T{0};
        b[y][x] = k + y < g.k && j < g.n ? g.b.data[(k + y) * g.b.row_stride + j * g.b.col_stride] : T{0};
        __syncthreads();
#pragma unroll
        for (int p = 0; p < tile; ++p) sum += a[y][p] * b[p][x];
        __syncthreads();
    }
    if (i < g.m && j < g.n) store(g, i, j, sum);
}

template <class T>
void launch(Cuda& backend, void (*kernel)(GemmArguments<T>), Index tile, const GemmArguments<T>& g) {
    const unsigned blocks = count_tiles("gemm", g.m, g.n, tile);
    if (blocks == 0) return;
    const auto edge = static_cast<unsigned>(tile);
    kernel<<<blocks, dim3(edge, edge), 0, backend.stream()>>>(g);
    check_cuda(cudaGetLastError(), "multiplying matrices");
}

}  // namespace

template <class T>
void gemm_naive(Cuda& backend, const GemmArguments<T>& g, const GemmTuning&) {
    launch(backend, naive_kernel<T>, 16, g);
}

template <class T>
void gemm_tiled(Cuda& backend, const GemmArguments<T>& g, const GemmTuning& tuning) {
    // Of doubles, 32 x 32 threads are too many for two blocks a multiprocessor.
    constexpr Index best_tile = sizeof(T) == 8 ? 16 : 32;
    switch (tuning.tile == 0 ? best_tile : tuning.tile) {
        case 1:
            return launch(backend, tiled_kernel<T, 1>, 1, g);
        case 2:
            return launch(backend, tiled_kernel<T, 2>, 2, g);
        case 4:
            return launch(backend, tiled_kernel<T, 4>, 4, g);
        case 8:
            return launch(backend, tiled_kernel<T, 8>, 8, g);
        case 16:
            return launch(backend, tiled_kernel<T, 16>, 16, g);
        case 32:
            return launch(backend, tiled_kernel<T, 32>, 32, g);
        default:
            throw InvalidArgument("gemm: tile must be 1, 2, 4, 8, 16 or 32 on CUDA");
    }
}

template void gemm_naive(Cuda&, const GemmArguments<double>&, const GemmTuning&);
template void gemm_naive(Cuda&, const GemmArguments<float>&, const GemmTuning&);
template void gemm_tiled(Cuda&, const GemmArguments<double>&, const GemmTuning&);
template void gemm_tiled(Cuda&, const GemmArguments<float>&, const GemmTuning&);

}  // namespace stiefel::cuda
