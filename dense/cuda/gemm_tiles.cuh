#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/dense/cuda/ptx.cuh"
#include "stiefel/dense/gemm_kernels.hpp"

namespace stiefel::cuda {

/// 16 bytes of elements: what a thread moves at once.
template <class T>
struct alignas(16) Chunk {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    T values[size];

    __device__ T& operator[](int i) { return values[i]; }
    __device__ const T& operator[](int i) const { return values[i]; }
};

/// What the staged kernels read: both operands row-major, rows at multiples of 16 bytes. gemm_operands.hpp makes it so.
template <class T>
struct GemmTask {
    int m = 0, n = 0, k = 0;
    T alpha = 1, beta = 0;
    const T* a = nullptr;
    const T* b = nullptr;
    Size lda = 0, ldb = 0;
    T* c = nullptr;
    Size ldc = 0;
    bool c_in_chunks = false;  ///< rows of C begin at multiples of 16 bytes
};

/// Which tile of C a block computes. Blocks that run together form a compact patch of C, `patch` tiles high, so that
/// they find each other's rows of A and columns of B in L2.
struct TilePlace {
    int row = 0, col = 0;

    __device__ TilePlace(int n_rows, int n_cols) {
        constexpr int patch = 8;
        const int number = static_cast<int>(blockIdx.x);
        const int first = number / (patch * n_cols) * patch;
        const int height = min(patch, n_rows - first);
        const int within = number % (patch * n_cols);
        row = first + within % height;
        col = within / height;
    }
};

/// n neighbours of one row, moved as one where that is possible.
template <class T, int n>
struct alignas(n * sizeof(T)) Run {
    T values[n];
};

/// alpha sum + beta C for n neighbours in row i from column j on (a multiple of n), inside the matrix only.
template <int n, class T>
__device__ void store_run(const GemmTask<T>& g, int i, int j, const Run<T, n>& sums) {
    if (i >= g.m) return;
    T* const place = g.c + i * g.ldc + j;
    if (g.c_in_chunks && j + n <= g.n) {
        Run<T, n> out;
        if (g.beta != T{0}) {
            const auto before = *reinterpret_cast<const Run<T, n>*>(place);
#pragma unroll
            for (int v = 0; v < n; ++v) out.values[v] = g.alpha * sums.values[v] + g.beta * before.values[v];
        } else {
#pragma unroll
            for (int v = 0; v < n; ++v) out.values[v] = g.alpha * sums.values[v];
        }
        *reinterpret_cast<Run<T, n>*>(place) = out;
        return;
    }
#pragma unroll
    for (int v = 0; v < n; ++v) {
        if (j + v < g.n) {
            place[v] = g.beta == T{0} ? g.alpha * sums.values[v] : g.alpha * sums.values[v] + g.beta * place[v];
        }
    }
}

/// The staged tiles of a pipelined kernel in shared memory: A as BM rows of 128 bytes, B as BK rows of BN elements,
/// both copied asynchronously `stages - 1` steps ahead. Layout says where chunk c of row r lies, so that a warp's reads
/// fall into different banks.
template <class T, int BM_, int BN_, int stages_, int threads_, class Layout>
struct Stages {
    static constexpr int BM = BM_, BN = BN_, stages = stages_, threads = threads_;
    static constexpr int V = Chunk<T>::size;
    static constexpr int BK = 8 * V;  // a row of A: 8 chunks, all 32 banks
    static constexpr int a_chunks = BM * 8;
    static constexpr int b_chunks_per_row = BN / V;
    static constexpr int b_chunks = BK * b_chunks_per_row;
    static constexpr int bytes = stages * (a_chunks + b_chunks) * 16;
    static_assert(a_chunks % threads == 0 && b_chunks % threads == 0 && threads % b_chunks_per_row == 0);

    __device__ static Chunk<T>* a_of(Chunk<T>* shared, int stage) { return shared + stage * (a_chunks + b_chunks); }
    __device__ static Chunk<T>* b_of(Chunk<T>* shared, int stage) { return a_of(shared, stage) + a_chunks; }

    /// What a thread copies: the same chunk of every (threads / 8)th row of A and every (threads / b_chunks_per_row)th
    /// row of B, a step further each time. `whole`: no tile sticks out of its matrix.
    template <bool whole>
    struct Copier {
        static constexpr int a_row_step = threads / 8;
        static constexpr int b_row_step = threads / b_chunks_per_row;
        const T* a;
        const T* b;
        Size lda, ldb;
        int a_rows_left, k_left, cols_left;  // from this thread's first row or element on
        int a_place, b_place;

        __device__ Copier(const GemmTask<T>& g, int row, int col) : lda(g.lda), ldb(g.ldb) {
            const int thread = static_cast<int>(threadIdx.x);
            const int a_row = thread / 8;
            const int b_row = thread / b_chunks_per_row, b_chunk = thread % b_chunks_per_row;
            a = g.a + (row + a_row) * lda + thread % 8 * V;
            b = g.b + b_row * ldb + col + b_chunk * V;
            a_rows_left = g.m - row - a_row;
            k_left = g.k;
            cols_left = g.n - col - b_chunk * V;
            a_place = a_row * 8 + (thread % 8 ^ Layout::a(a_row));
            b_place = b_row * b_chunks_per_row + (b_chunk ^ Layout::b(b_row));
            static_assert(a_row_step % 8 == 0,
                          "the layout repeats after 8 rows, so one place serves all rows of a thread");
        }

        __device__ void start(const GemmTask<T>& g, Chunk<T>* to_a, Chunk<T>* to_b) {
            start_a(g, to_a);
            start_b(g, to_b);
            a += BK;
            b += BK * ldb;
            k_left -= BK;
        }

        __device__ void start_a(const GemmTask<T>& g, Chunk<T>* to_a) const {
#pragma unroll
            for (int i = 0; i < a_chunks / threads; ++i) {
                const T* const from = a + i * a_row_step * lda;
                Chunk<T>* const to = to_a + a_place + i * a_row_step * 8;
                if constexpr (whole) {
                    copy_async(to, from);
                } else {
                    const int left = k_left - static_cast<int>(threadIdx.x) % 8 * V;
                    const int n = i * a_row_step < a_rows_left ? min(V, max(0, left)) : 0;
                    copy_async(to, n > 0 ? from : g.a, n * static_cast<int>(sizeof(T)));
                }
            }
        }

        __device__ void start_b(const GemmTask<T>& g, Chunk<T>* to_b) const {
#pragma unroll
            for (int i = 0; i < b_chunks / threads; ++i) {
                const T* const from = b + i * b_row_step * ldb;
                Chunk<T>* const to = to_b + swizzled_b(i);
                if constexpr (whole) {
                    copy_async(to, from);
                } else {
                    const int row = static_cast<int>(threadIdx.x) / b_chunks_per_row + i * b_row_step;
                    const int n = row < k_left ? min(V, max(0, cols_left)) : 0;
                    copy_async(to, n > 0 ? from : g.b, n * static_cast<int>(sizeof(T)));
                }
            }
        }

        /// Place of the thread's i-th chunk of B, whose row's layout may differ from the first's.
        __device__ int swizzled_b(int i) const {
            const int row = static_cast<int>(threadIdx.x) / b_chunks_per_row;
            const int change = Layout::b(row) ^ Layout::b(row + i * b_row_step);
            return (b_place ^ change) + i * b_row_step * b_chunks_per_row;
        }
    };

    /// Runs consume(a, b) on every step's tiles. While one is consumed the next stages - 1 are on their way.
    template <bool whole, class Consume>
    __device__ static void run(const GemmTask<T>& g, int row, int col, Chunk<T>* shared, Consume&& consume) {
        const int steps = (g.k + BK - 1) / BK;
        Copier<whole> copier(g, row, col);
#pragma unroll
        for (int step = 0; step < stages - 1; ++step) {
            if (step < steps) copier.start(g, a_of(shared, step), b_of(shared, step));
            commit_copies();
        }
        int reading = 0;
        int writing = stages - 1;
        for (int step = 0; step < steps; ++step) {
            wait_copies<stages - 2>();
            __syncthreads();  // the step's tiles are there for all; the stage before is read by none
            if (step + stages - 1 < steps) copier.start(g, a_of(shared, writing), b_of(shared, writing));
            commit_copies();
            consume(a_of(shared, reading), b_of(shared, reading));
            reading = reading + 1 == stages ? 0 : reading + 1;
            writing = writing + 1 == stages ? 0 : writing + 1;
        }
    }
};

template <class T>
int tile_count(const GemmTask<T>& g, int BM, int BN) {
    return ((g.m + BM - 1) / BM) * ((g.n + BN - 1) / BN);
}

/// Launches kernel<true> where tiles of Stages divide the product exactly, else kernel<false>.
template <class S, class T>
void launch_staged(const Cuda& backend, const GemmTask<T>& g, void (*whole)(GemmTask<T>), void (*ragged)(GemmTask<T>),
                   const char* doing) {
    if (tile_count(g, S::BM, S::BN) == 0) return;
    const bool fits = g.m % S::BM == 0 && g.n % S::BN == 0 && g.k % S::BK == 0;
    const auto kernel = fits ? whole : ragged;
    allow_shared(backend, kernel, S::bytes, doing);
    kernel<<<static_cast<unsigned>(tile_count(g, S::BM, S::BN)), S::threads, S::bytes, backend.stream()>>>(g);
    check_cuda(cudaGetLastError(), doing);
}

}  // namespace stiefel::cuda
