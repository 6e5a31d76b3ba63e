#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/cuda/panels.cuh"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_arguments.hpp"

#include <algorithm>

namespace stiefel {

namespace cuda {

namespace {

constexpr int gram_threads = 512;
constexpr int gram_warps = gram_threads / 32;

/// One product of panels of at most 8 tiles columns, narrow ones folded.
template <class T>
struct GramTask {
    Panel<T> p;
    Panel<T> q;
    double* g = nullptr;
    Size ldg = 0;
    int rows_of_g = 0, cols_of_g = 0;
    int fold = 1;  ///< diagonal blocks of the folded product that add up to G
    double* partials = nullptr;
    unsigned* ticket = nullptr;
};

/// Adds up the warps' sums in a fixed order: the upper half of the warps onto the lower, until one is left.
template <int tiles>
__device__ void add_warps(double (&sum)[tiles][tiles][2], double* shared) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    for (int i = 0; i < tiles; ++i) {  // a row of tiles at a time bounds the shared memory
#pragma unroll
        for (int half = gram_warps / 2; half > 0; half /= 2) {
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

/// The last block to arrive adds what all have left, in the order of the blocks, `parts` threads to an element.
template <int tiles>
__device__ void add_blocks(const double* partials, double* total) {
    constexpr int elements = tiles * tiles * 64;
    constexpr int parts = elements < gram_threads ? gram_threads / elements : 1;
    __shared__ double of_part[parts > 1 ? gram_threads : 1];
    const int n_blocks = static_cast<int>(gridDim.x);
    const int part = static_cast<int>(threadIdx.x) / (gram_threads / parts);
    for (int e = static_cast<int>(threadIdx.x) % (gram_threads / parts); e < elements; e += gram_threads / parts) {
        double sum = 0;
#pragma unroll 8
        for (int b = part; b < n_blocks; b += parts) sum += __ldcg(partials + static_cast<Size>(b) * elements + e);
        if constexpr (parts == 1) {
            total[e] = sum;
        } else {
            of_part[part * elements + e] = sum;
        }
    }
    __syncthreads();
    if constexpr (parts > 1) {
        if (threadIdx.x < elements) {
            double sum = 0;
            for (int i = 0; i < parts; ++i) sum += of_part[i * elements + static_cast<int>(threadIdx.x)];
            total[threadIdx.x] = sum;
        }
        __syncthreads();
    }
}

/// G = P' Q on the matrix units: 4 rows of P are an 8 x 4 operand as they lie, 4 rows of Q a 4 x 8 one, so every lane
/// loads its elements straight from the panels. A warp takes 4 x `ahead` rows at a time, all loads before the first
/// product. `same`: P is Q and loaded once.
template <class T, int tiles, int ahead, bool same>
__global__ __launch_bounds__(gram_threads, 1) void gram_kernel(GramTask<T> task) {
    constexpr int elements = tiles * tiles * 64;
    __shared__ double shared[std::max(gram_warps / 2 * tiles * 64, elements)];
    __shared__ bool is_last;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int group = lane / 4;
    const int t = lane % 4;
    const int n_warps = static_cast<int>(gridDim.x) * gram_warps;
    const int warp = static_cast<int>(blockIdx.x) * gram_warps + static_cast<int>(threadIdx.x) / 32;
    constexpr int step = 4 * ahead;

    double sum[tiles][tiles][2] = {};
    for (Size row = Size{warp} * step; row < task.p.n_rows; row += Size{n_warps} * step) {
        T a[ahead][tiles], b[ahead][tiles];
        const bool whole = row + step <= task.p.whole_rows;
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
                a[u][i] = task.p.at(row + 4 * u + t, 8 * i + group, whole);
                if constexpr (!same) b[u][i] = task.q.at(row + 4 * u + t, 8 * i + group, whole);
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
    add_warps<tiles>(sum, shared);
    if (threadIdx.x < 32) {
        double* const own = task.partials + static_cast<Size>(blockIdx.x) * elements;
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
#pragma unroll
            for (int j = 0; j < tiles; ++j) {
                own[(8 * i + group) * 8 * tiles + 8 * j + 2 * t] = sum[i][j][0];
                own[(8 * i + group) * 8 * tiles + 8 * j + 2 * t + 1] = sum[i][j][1];
            }
        }
        __threadfence();
        __syncwarp();
    }
    if (threadIdx.x == 0) is_last = atomicInc(task.ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    add_blocks<tiles>(task.partials, shared);
    for (int e = static_cast<int>(threadIdx.x); e < task.rows_of_g * task.cols_of_g; e += gram_threads) {
        const int i = e / task.cols_of_g;
        const int j = e % task.cols_of_g;
        double total = 0;
        for (int f = 0; f < task.fold; ++f) {
            total += shared[(i + f * task.rows_of_g) * 8 * tiles + j + f * task.cols_of_g];
        }
        task.g[i * task.ldg + j] = total;
    }
}

template <class T, int tiles, int ahead>
void launch_gram(Cuda& backend, GramTask<T> task, bool same) {
    constexpr Size elements = tiles * tiles * 64;
    const Size rows_of_block = Size{4} * ahead * gram_warps;
    const Size wanted = (task.p.n_rows + rows_of_block - 1) / rows_of_block;
    const Size most = std::min<Size>(backend.device().multiprocessors, ReductionScratch::size / elements);
    const auto blocks = static_cast<unsigned>(std::clamp<Size>(wanted, 1, most));
    task.partials = backend.reduction().partials;
    task.ticket = backend.reduction().ticket;
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
    constexpr Index widest = 32;  // of one launch: 64 sums a lane
    const bool same = p.data == q.data && p.ld == q.ld && p.n_cols == q.n_cols;
    const int fold = cuda::panel_fold(p.n_cols, q.n_cols, p.ld, q.ld);
    for (Index i = 0; i < p.n_cols; i += widest) {
        for (Index j = 0; j < q.n_cols; j += widest) {
            cuda::GramTask<T> task;
            task.rows_of_g = std::min(widest, p.n_cols - i);
            task.cols_of_g = std::min(widest, q.n_cols - j);
            task.p = cuda::panel(p, i, task.rows_of_g, fold);
            task.q = cuda::panel(q, j, task.cols_of_g, fold);
            task.g = g.data + i * g.ld + j;
            task.ldg = g.ld;
            task.fold = fold;
            cuda::launch_gram(backend, task, same && i == j);
        }
    }
}

template void gram(Cuda&, DeviceMatrix<const double>, DeviceMatrix<const double>, DeviceMatrix<double>);
template void gram(Cuda&, DeviceMatrix<const float>, DeviceMatrix<const float>, DeviceMatrix<double>);

}  // namespace stiefel
