#include "stiefel/dense/cuda/gemm_operands.hpp"
#include "stiefel/dense/cuda/gemm_rungs.hpp"
#include "stiefel/dense/cuda/gemm_tiles.cuh"

namespace stiefel::cuda {

namespace {

constexpr int BM = 128, BN = 128, BK = 8, threads = 256;
constexpr int TM = 8, TN = 8;  // sums of a thread

/// A chunk of a row-major matrix, zero beyond its end; rows begin at multiples of 16 bytes.
template <class T>
__device__ Chunk<T> load_chunk(const T* data, Size ld, int n_rows, int n_cols, int i, int j) {
    constexpr int V = Chunk<T>::size;
    const T* const from = data + i * ld + j;
    if (i < n_rows && j + V <= n_cols) return *reinterpret_cast<const Chunk<T>*>(from);
    Chunk<T> out;
#pragma unroll
    for (int v = 0; v < V; ++v) out[v] = i < n_rows && j + v < n_cols ? from[v] : T{0};
    return out;
}

/// A thread holds 8 x 8 sums and reads 16 numbers for 64 multiply-adds. Global memory is read in vectors; A is turned
/// on its way into shared memory, so that a thread's elements of A lie side by side as well.
template <class T>
__global__ __launch_bounds__(threads) void register_kernel(GemmTask<T> g) {
    constexpr int V = Chunk<T>::size;
    __shared__ alignas(16) T a[BK][BM];
    __shared__ alignas(16) T b[BK][BN];
    const TilePlace tile((g.m + BM - 1) / BM, (g.n + BN - 1) / BN);
    const int row = tile.row * BM;
    const int col = tile.col * BN;
    const int thread = static_cast<int>(threadIdx.x);
    const int y = thread / 16 * V;  // 16 x 16 threads; a thread's sums lie in groups of V, 16 V apart
    const int x = thread % 16 * V;

    T sum[TM][TN] = {};
    for (int k = 0; k < g.k; k += BK) {
#pragma unroll
        for (int c = thread; c < BM * BK / V; c += threads) {
            const int r = c / (BK / V);
            const int p = c % (BK / V) * V;
            const Chunk<T> chunk = load_chunk(g.a, g.lda, g.m, g.k, row + r, k + p);
#pragma unroll
            for (int v = 0; v < V; ++v) a[p + v][r] = chunk[v];
        }
#pragma unroll
        for (int c = thread; c < BK * BN / V; c += threads) {
            const int p = c / (BN / V);
            const int j = c % (BN / V) * V;
            *reinterpret_cast<Chunk<T>*>(&b[p][j]) = load_chunk(g.b, g.ldb, g.k, g.n, k + p, col + j);
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < BK; ++p) {
            Chunk<T> u[TM / V], w[TN / V];
#pragma unroll
            for (int i = 0; i < TM / V; ++i) u[i] = *reinterpret_cast<const Chunk<T>*>(&a[p][y + i * 16 * V]);
#pragma unroll
            for (int j = 0; j < TN / V; ++j) w[j] = *reinterpret_cast<const Chunk<T>*>(&b[p][x + j * 16 * V]);
#pragma unroll
            for (int i = 0; i < TM; ++i) {
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] += u[i / V][i % V] * w[j / V][j % V];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN / V; ++j) {
            Run<T, V> out;
#pragma unroll
            for (int v = 0; v < V; ++v) out.values[v] = sum[i][j * V + v];
            store_run<V>(g, row + y + i / V * 16 * V + i % V, col + x + j * 16 * V, out);
        }
    }
}

}  // namespace

template <class T>
void gemm_register(Cuda& backend, const GemmArguments<T>& g, const GemmTuning&) {
    const GemmOperands<T> operands(backend, g);
    const GemmTask<T> task = operands.task();
    const int blocks = tile_count(task, BM, BN);
    if (blocks == 0) return;
    register_kernel<T><<<static_cast<unsigned>(blocks), threads, 0, backend.stream()>>>(task);
    check_cuda(cudaGetLastError(), "multiplying matrices, register blocked");
}

template void gemm_register(Cuda&, const GemmArguments<double>&, const GemmTuning&);
template void gemm_register(Cuda&, const GemmArguments<float>&, const GemmTuning&);

}  // namespace stiefel::cuda
