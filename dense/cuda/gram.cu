#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/dense/cuda/panels.cuh"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_arguments.hpp"

#include <algorithm>

namespace stiefel {

namespace cuda {

namespace {

constexpr int gram_threads = 512;
constexpr int gram_warps = gram_threads / 32;

constexpr int part_columns = 32;  // of either panel for one warp: 64 sums a lane

/// One product of panels, narrow ones folded, wide ones in parts of 32 x 32 elements of G.
template <class T>
struct GramTask {
    Panel<T> p;
    Panel<T> q;
    double* g = nullptr;
    Size ldg = 0;
    int rows_of_g = 0, cols_of_g = 0;
    int fold = 1;                   ///< diagonal blocks of the folded product that add up to G
    int parts = 1, parts_down = 1;  ///< 1, 2 or 4 parts, as many of them below each other
    ReductionScratch scratch = {};

    __device__ int first_row(int part) const { return part % parts_down * part_columns; }
    __device__ int first_col(int part) const { return part / parts_down * part_columns; }
};

/// Adds up the warps' sums in a fixed order: the upper half of the warps onto the lower, until one is left of each
/// part.
template <int tiles>
__device__ void add_warps(double (&sum)[tiles][tiles][2], int parts, double* shared) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    for (int i = 0; i < tiles; ++i) {  // a row of tiles at a time bounds the shared memory
#pragma unroll
        for (int half = gram_warps / 2; half >= 1; half /= 2) {
            if (half < parts) break;
            if (warp >= half && warp < 2 * half) {
#pragma unroll
                for (int j = 0; j < tiles; ++j) {
                    shared[((warp - half) * tiles + j) * 64 + 2 * lane] = sum[i][j][0];
                    shared[((warp - half) * tiles + j) * 64 + 2 * lane + 1] = sum[i][j][1];
                }
            }
            __syncthreads();
            if (warp < half) {
#pragma unroll
                for (int j = 0; j < tiles; ++j) {
                    sum[i][j][0] += shared[(warp * tiles + j) * 64 + 2 * lane];
                    sum[i][j][1] += shared[(warp * tiles + j) * 64 + 2 * lane + 1];
                }
            }
            __syncthreads();
        }
    }
}

/// The last block to arrive adds what all have left, in the order of the blocks, `helpers` threads to an element.
template <int tiles>
__device__ void add_blocks(const double* partials, double* total) {
    constexpr int elements = tiles * tiles * 64;
    constexpr int helpers = elements < gram_threads ? gram_threads / elements : 1;
    __shared__ double of_helper[helpers > 1 ? gram_threads : 1];
    const int n_blocks = static_cast<int>(gridDim.x);
    const int helper = static_cast<int>(threadIdx.x) / (gram_threads / helpers);
    for (int e = static_cast<int>(threadIdx.x) % (gram_threads / helpers); e < elements; e += gram_threads / helpers) {
        double sum = 0;
#pragma unroll 8
        for (int b = helper; b < n_blocks; b += helpers) sum += __ldcg(partials + static_cast<Size>(b) * elements + e);
        if constexpr (helpers == 1) {
            total[e] = sum;
        } else {
            of_helper[helper * elements + e] = sum;
        }
    }
    __syncthreads();
    if constexpr (helpers > 1) {
        if (threadIdx.x < elements) {
            double sum = 0;
            for (int i = 0; i < helpers; ++i) sum += of_helper[i * elements + static_cast<int>(threadIdx.x)];
            total[threadIdx.x] = sum;
        }
        __syncthreads();
    }
}

/// Adds up one part of G over the blocks and puts it in its place.
template <class T, int tiles>
__device__ void finish_part(const GramTask<T>& task, int part, double* shared) {
    constexpr int elements = tiles * tiles * 64;
    add_blocks<tiles>(task.scratch.partials + Size{part} * gridDim.x * elements, shared);
    const int rows = min(task.rows_of_g - task.first_row(part), 8 * tiles);
    const int cols = min(task.cols_of_g - task.first_col(part), 8 * tiles);
    double* const g = task.g + task.first_row(part) * task.ldg + task.first_col(part);
    for (int e = static_cast<int>(threadIdx.x); e < rows * cols; e += gram_threads) {
        const int i = e / cols;
        const int j = e % cols;
        double total = 0;
        for (int f = 0; f < task.fold; ++f) total += shared[(i + f * rows) * 8 * tiles + j + f * cols];
        g[i * task.ldg + j] = total;
    }
    __syncthreads();
}

/// G = P' Q on the matrix units: 4 rows of P are an 8 x 4 operand as they lie, 4 rows of Q a 4 x 8 one, so every lane
/// loads its elements straight from the panels. A warp takes 4 x `ahead` rows at a time, all loads before the first
/// product. `same`: P is Q and loaded once. Neighbouring warps take the parts of wide panels: they find each other's
/// rows in L1.
template <class T, int tiles, int ahead, bool same>
__global__ __launch_bounds__(gram_threads, 1) void gram_kernel(GramTask<T> task) {
    constexpr int elements = tiles * tiles * 64;
    __shared__ double shared[std::max(gram_warps / 2 * tiles * 64, elements)];
    __shared__ bool is_last;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int group = lane / 4;
    const int t = lane % 4;
    const int warp_of_block = static_cast<int>(threadIdx.x) / 32;
    const int part = warp_of_block % task.parts;
    const int warps = gram_warps / task.parts;
    const Panel<T> p = task.p.columns(task.first_row(part), 8 * tiles);
    const Panel<T> q = task.q.columns(task.first_col(part), 8 * tiles);
    const Size n_warps = Size{gridDim.x} * warps;
    const Size warp = Size{blockIdx.x} * warps + warp_of_block / task.parts;
    constexpr int step = 4 * ahead;

    double sum[tiles][tiles][2] = {};
    for (Size row = warp * step; row < p.n_rows; row += n_warps * step) {
        T a[ahead][tiles], b[ahead][tiles];
        const bool whole = row + step <= p.whole_rows;
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
                a[u][i] = p.at(row + 4 * u + t, 8 * i + group, whole);
                if constexpr (!same) b[u][i] = q.at(row + 4 * u + t, 8 * i + group, whole);
            }
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
#pragma unroll
                for (int j = 0; j < tiles; ++j) multiply_8x8x4(sum[i][j], a[u][i], same ? a[u][j] : b[u][j]);
            }
        }
    }
    add_warps<tiles>(sum, task.parts, shared);
    if (warp_of_block < task.parts) {
        double* const own = task.scratch.partials + (Size{part} * gridDim.x + blockIdx.x) * elements;
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
#pragma unroll
            for (int j = 0; j < tiles; ++j) {
                own[(8 * i + group) * 8 * tiles + 8 * j + 2 * t] = sum[i][j][0];
                own[(8 * i + group) * 8 * tiles + 8 * j + 2 * t + 1] = sum[i][j][1];
            }
        }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(task.scratch.ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int i = 0; i < task.parts; ++i) finish_part<T, tiles>(task, i, shared);
    all_sum(task.scratch.world, task.g, task.rows_of_g, task.cols_of_g, task.ldg);
}

template <class T, int tiles, int ahead>
void launch_gram(Cuda& backend, GramTask<T> task, bool same) {
    constexpr Size elements = tiles * tiles * 64;
    const Size rows_of_block = Size{4} * ahead * gram_warps / task.parts;
    const Size wanted = (task.p.n_rows + rows_of_block - 1) / rows_of_block;
    const Size most =
        std::min<Size>(backend.device().multiprocessors, ReductionScratch::size / (elements * task.parts));
    const auto blocks = static_cast<unsigned>(std::clamp<Size>(wanted, 1, most));
    task.scratch = backend.reduction();
    const auto kernel = same ? gram_kernel<T, tiles, 2 * ahead, true> : gram_kernel<T, tiles, ahead, false>;
    kernel<<<blocks, gram_threads, 0, backend.stream()>>>(task);
    check_cuda(cudaGetLastError(), "computing a Gram matrix");
}

/// Rows ahead keep some 4 KiB of each warp on their way from memory.
template <class T>
void launch_gram(Cuda& backend, const GramTask<T>& task, bool same) {
    constexpr int more = 8 / static_cast<int>(sizeof(T));
    const int widest = std::max(task.p.n_cols, task.q.n_cols);
    if (widest <= 8) return launch_gram<T, 1, 8 * more>(backend, task, same);
    if (widest <= 16) return launch_gram<T, 2, 4 * more>(backend, task, same);
    launch_gram<T, 4, 2 * more>(backend, task, same);
}

}  // namespace

}  // namespace cuda

template <class T>
void gram(Cuda& backend, DeviceMatrix<const T> p, DeviceMatrix<const std::type_identity_t<T>> q,
          DeviceMatrix<double> g) {
    check_gram(shape_of(p), shape_of(q), shape_of(g));
    if (g.n_rows == 0 || g.n_cols == 0) return;
    const auto parts_of = [](Index n) { return (n + cuda::part_columns - 1) / cuda::part_columns; };
    const int fold = cuda::panel_fold(p.n_cols, q.n_cols, p.ld, q.ld);
    cuda::GramTask<T> task;
    task.p = cuda::panel(p, fold);
    task.q = cuda::panel(q, fold);
    task.g = g.data;
    task.ldg = g.ld;
    task.rows_of_g = g.n_rows;
    task.cols_of_g = g.n_cols;
    task.fold = fold;
    task.parts_down = parts_of(p.n_cols);
    task.parts = task.parts_down * parts_of(q.n_cols);
    const bool same = p.data == q.data && p.ld == q.ld && p.n_cols == q.n_cols;
    cuda::launch_gram(backend, task, same && task.parts == 1);
}

template void gram(Cuda&, DeviceMatrix<const double>, DeviceMatrix<const double>, DeviceMatrix<double>);
template void gram(Cuda&, DeviceMatrix<const float>, DeviceMatrix<const float>, DeviceMatrix<double>);

}  // namespace stiefel
