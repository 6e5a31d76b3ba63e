#include "stiefel/dense/cuda/gemm_operands.hpp"
#include "stiefel/dense/cuda/gemm_rungs.hpp"
#include "stiefel/dense/cuda/gemm_tiles.cuh"

namespace stiefel::cuda {

namespace {

/// A warp reads 4 rows of A at once and one row of B: chunks of neighbouring rows of A must not share banks.
struct SimtLayout {
    __device__ static int a(int row) { return row & 3; }
    __device__ static int b(int) { return 0; }
};

/// Threads hold TM x TN sums each, in TN / V groups of columns so that 8 neighbours read 128 contiguous bytes of B. A
/// warp is 4 x 8 threads, a block 4 x 2 warps. One block a multiprocessor: wide sums save more reads of shared memory
/// than a second block would hide.
template <class T, int TM_, int TN_>
struct Simt {
    static constexpr int TM = TM_, TN = TN_;
    using S = Stages<T, 16 * TM, 16 * TN, 3, 256, SimtLayout>;
};

/// The loop over the step is unrolled whole, so that the compiler reads the next chunk of A while it multiplies by this
/// one: with two warps on each scheduler nothing else hides those reads.
template <class T, class Shape>
__device__ void multiply_step(const Chunk<T>* a, const Chunk<T>* b, int row, int col, int ty,
                              T (&sum)[Shape::TM][Shape::TN]) {
    using S = typename Shape::S;
    constexpr int V = S::V, TM = Shape::TM, TN = Shape::TN;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
        Chunk<T> x[TM];
#pragma unroll
        for (int i = 0; i < TM; ++i) x[i] = a[(row + 4 * i) * 8 + (c ^ ty)];
#pragma unroll
        for (int p = 0; p < V; ++p) {
            Chunk<T> y[TN / V];
#pragma unroll
            for (int j = 0; j < TN / V; ++j) y[j] = b[(c * V + p) * S::b_chunks_per_row + col + 8 * j];
#pragma unroll
            for (int i = 0; i < TM; ++i) {
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] += x[i][p] * y[j / V][j % V];
            }
        }
    }
}

template <class T, class Shape, bool whole>
__global__ __launch_bounds__(256, 1) void pipelined_kernel(GemmTask<T> g) {
    using S = typename Shape::S;
    constexpr int V = S::V, TM = Shape::TM, TN = Shape::TN;
    extern __shared__ Chunk<char> shared_bytes[];
    auto* const shared = reinterpret_cast<Chunk<T>*>(shared_bytes);
    const TilePlace tile((g.m + S::BM - 1) / S::BM, (g.n + S::BN - 1) / S::BN);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int ty = lane / 8;
    const int row = warp / 2 * (4 * TM) + ty;
    const int col = warp % 2 * (8 * TN / V) + lane % 8;  // in chunks

    T sum[TM][TN] = {};
    S::template run<whole>(g, tile.row * S::BM, tile.col * S::BN, shared, [&](const Chunk<T>* a, const Chunk<T>* b) {
        multiply_step<T, Shape>(a, b, row, col, ty, sum);
    });
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN / V; ++j) {
            Run<T, V> out;
#pragma unroll
            for (int v = 0; v < V; ++v) out.values[v] = sum[i][j * V + v];
            store_run<V>(g, tile.row * S::BM + row + 4 * i, tile.col * S::BN + (col + 8 * j) * V, out);
        }
    }
}

template <class T, class Shape>
void launch_pipelined(Cuda& backend, const GemmArguments<T>& g) {
    const GemmOperands<T> operands(backend, g);
    launch_staged<typename Shape::S>(backend, operands.task(), pipelined_kernel<T, Shape, true>,
                                     pipelined_kernel<T, Shape, false>, "multiplying matrices, pipelined");
}

}  // namespace

// The fastest of the shapes measured on an H100: docs/performance/gemm_and_transpose.md.
template <>
void gemm_pipelined(Cuda& backend, const GemmArguments<float>& g, const GemmTuning&) {
    launch_pipelined<float, Simt<float, 8, 16>>(backend, g);
}
template <>
void gemm_pipelined(Cuda& backend, const GemmArguments<double>& g, const GemmTuning&) {
    launch_pipelined<double, Simt<double, 8, 8>>(backend, g);
}

}  // namespace stiefel::cuda
