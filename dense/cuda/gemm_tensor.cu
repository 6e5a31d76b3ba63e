#include "stiefel/dense/cuda/gemm_operands.hpp"
#include "stiefel/dense/cuda/gemm_rungs.hpp"
#include "stiefel/dense/cuda/gemm_tiles.cuh"

namespace stiefel::cuda {

namespace {

/// How a warp's matrix operands come out of the staged tiles, with lane = 4 g + t. The instructions want an operand's
/// elements in consecutive registers, so each is loaded straight into its place; a wider load would have to be taken
/// apart by moves that cost more than they save. Layout: see Stages.
template <class T>
struct Fragments;

/// A load of 8 bytes serves half a warp at a time: 4 rows of 2 chunks, which the layout spreads over the 8 chunks of
/// all banks.
template <>
struct Fragments<double> {
    struct Layout {
        __device__ static int a(int row) { return (row & 3) << 1; }
        __device__ static int b(int row) { return (row & 3) << 1; }
    };
    int group, t;

    /// Rows `row`.. + 15 and columns 8 step.. + 7 of A's tile.
    __device__ void load_a(double (&out)[4], const Chunk<double>* a, int row, int step) const {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int chunk = (4 * step + 2 * half + (t >> 1)) ^ Layout::a(group);
            const auto* const from = reinterpret_cast<const double*>(a + (row + group) * 8 + chunk) + (t & 1);
            out[2 * half] = from[0];
            out[2 * half + 1] = from[8 * 16];
        }
    }

    /// Rows 8 step.. + 7 and columns `col`.. + 7 of B's tile.
    template <int chunks_per_row>
    __device__ void load_b(double (&out)[2], const Chunk<double>* b, int col, int step) const {
        const int chunk = (col / 2 + (group >> 1)) ^ Layout::b(t);
        const auto* const from =
            reinterpret_cast<const double*>(b + (8 * step + t) * chunks_per_row + chunk) + (group & 1);
        out[0] = from[0];
        out[1] = from[4 * chunks_per_row * 2];
    }
};

/// A by ldmatrix, which hands 4 bytes of 8 rows to all lanes: 8 chunks of 8 rows must differ in their banks. B by loads
/// of 4 bytes: 4 rows of 2 chunks.
template <>
struct Fragments<float> {
    struct Layout {
        __device__ static int a(int row) { return row & 7; }
        __device__ static int b(int row) { return (row & 3) << 1; }
    };
    int group, t;

    __device__ void load_a(float (&out)[4], const Chunk<float>* a, int row, int step) const {
        const int lane = 4 * group + t;
        const int my_row = lane & 15;  // lanes 0-15 name the rows of the left half, 16-31 those of the right
        const int chunk = (2 * step + (lane >> 4)) ^ Layout::a(my_row);
        load_matrices(out, a + (row + my_row) * 8 + chunk);
#pragma unroll
        for (float& x : out) x = matrix_operand(x);
    }

    template <int chunks_per_row>
    __device__ void load_b(float (&out)[2], const Chunk<float>* b, int col, int step) const {
        const int chunk = (col / 4 + (group >> 2)) ^ Layout::b(t);
        const auto* const from =
            reinterpret_cast<const float*>(b + (8 * step + t) * chunks_per_row + chunk) + (group & 3);
        out[0] = matrix_operand(from[0]);
        out[1] = matrix_operand(from[4 * chunks_per_row * 4]);
    }
};

/// A warp computes WM x WN, a block BM x BN.
template <class T, int BM, int BN, int WM_, int WN_, int stages>
struct Tensor {
    static constexpr int WM = WM_, WN = WN_;
    static constexpr int threads = BM / WM * (BN / WN) * 32;
    using S = Stages<T, BM, BN, stages, threads, typename Fragments<T>::Layout>;
};

template <class T, class Shape, bool whole>
__global__ __launch_bounds__(Shape::threads, 2) void tensor_kernel(GemmTask<T> g) {
    using S = typename Shape::S;
    constexpr int m_tiles = Shape::WM / 16;
    constexpr int n_tiles = Shape::WN / 8;
    extern __shared__ Chunk<char> shared_bytes[];
    auto* const shared = reinterpret_cast<Chunk<T>*>(shared_bytes);
    const TilePlace tile((g.m + S::BM - 1) / S::BM, (g.n + S::BN - 1) / S::BN);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const Fragments<T> fragments{lane / 4, lane % 4};
    const int warp_row = warp / (S::BN / Shape::WN) * Shape::WM;
    const int warp_col = warp % (S::BN / Shape::WN) * Shape::WN;

    T sum[m_tiles][n_tiles][4] = {};
    S::template run<whole>(g, tile.row * S::BM, tile.col * S::BN, shared, [&](const Chunk<T>* a, const Chunk<T>* b) {
#pragma unroll
        for (int step = 0; step < S::BK / 8; ++step) {
            T x[m_tiles][4];
            T y[n_tiles][2];
#pragma unroll
            for (int i = 0; i < m_tiles; ++i) fragments.load_a(x[i], a, warp_row + 16 * i, step);
#pragma unroll
            for (int j = 0; j < n_tiles; ++j) {
                fragments.template load_b<S::b_chunks_per_row>(y[j], b, warp_col + 8 * j, step);
            }
#pragma unroll
            for (int i = 0; i < m_tiles; ++i) {
#pragma unroll
                for (int j = 0; j < n_tiles; ++j) multiply_16x8x8(sum[i][j], x[i], y[j]);
            }
        }
    });

    const int row = tile.row * S::BM + warp_row + lane / 4;
    const int col = tile.col * S::BN + warp_col + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < m_tiles; ++i) {
#pragma unroll
        for (int j = 0; j < n_tiles; ++j) {
            store_run<2>(g, row + 16 * i, col + 8 * j, {sum[i][j][0], sum[i][j][1]});
            store_run<2>(g, row + 16 * i + 8, col + 8 * j, {sum[i][j][2], sum[i][j][3]});
        }
    }
}

template <class T, class Shape>
void launch_tensor(Cuda& backend, const GemmArguments<T>& g) {
    const GemmOperands<T> operands(backend, g);
    launch_staged<typename Shape::S>(backend, operands.task(), tensor_kernel<T, Shape, true>,
                                     tensor_kernel<T, Shape, false>, "multiplying matrices on the matrix units");
}

}  // namespace

// The fastest of the shapes measured on an H100: docs/performance/gemm_and_transpose.md. Two blocks share a
// multiprocessor, so one multiplies while the other waits for its tiles.
void gemm_tensor(Cuda& backend, const GemmArguments<double>& g, const GemmTuning&) {
    launch_tensor<double, Tensor<double, 128, 64, 64, 32, 4>>(backend, g);
}

void gemm_tf32(Cuda& backend, const GemmArguments<float>& g, const GemmTuning&) {
    launch_tensor<float, Tensor<float, 128, 128, 64, 64, 3>>(backend, g);
}

}  // namespace stiefel::cuda
