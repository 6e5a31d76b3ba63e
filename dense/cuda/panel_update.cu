#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/dense/cuda/narrow_update.cuh"
#include "stiefel/dense/cuda/panels.cuh"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_arguments.hpp"

#include <algorithm>

namespace stiefel {

namespace cuda {

namespace {

constexpr int update_threads = 256;
constexpr int update_warps = update_threads / 32;
constexpr int part_columns = 32;  // of Y for one warp: B's registers bound it

/// Two neighbouring elements: what a lane loads and stores at once.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
    T first, second;
};

template <class T>
struct UpdateTask {
    Panel<T> x;
    Panel<T> y;
    T* out = nullptr;  ///< y's data
    const double* b = nullptr;
    Size ldb = 0;
    double alpha = 1, beta = 0;
    int parts = 1;  ///< pieces of `part_columns` columns of Y

    /// The piece of Y that a warp computes.
    __device__ UpdateTask of_part(int part) const {
        UpdateTask task = *this;
        task.y = y.columns(part * part_columns, part_columns);
        task.out += part * part_columns;
        task.b += part * part_columns;
        return task;
    }
};

template <class T, bool pairs>
__device__ Pair<T> load_pair(const Panel<T>& panel, Size i, int j, bool whole) {
    if constexpr (pairs) {
        if (whole && j + 1 < panel.n_cols) {
            return *reinterpret_cast<const Pair<T>*>(panel.data + i * panel.ld + j);
        }
    }
    return {panel.at(i, j, whole), panel.at(i, j + 1, whole)};
}

template <class T, bool pairs>
__device__ void store_pair(const Panel<T>& panel, T* out, Size i, int j, bool whole, double first, double second) {
    T* const to = out + i * panel.ld + j;
    if constexpr (pairs) {
        if (whole && j + 1 < panel.n_cols) {
            *reinterpret_cast<Pair<T>*>(to) = {static_cast<T>(first), static_cast<T>(second)};
            return;
        }
    }
    const int cols = whole || i < panel.whole_rows ? panel.n_cols : i == panel.whole_rows ? panel.last_cols : 0;
    if (j < cols) to[0] = static_cast<T>(first);
    if (j + 1 < cols) to[1] = static_cast<T>(second);
}

/// Y = alpha X B + beta Y on the matrix units. alpha B stays in registers. A warp takes 8 rows at a time; lane 4 g + t
/// loads columns 2 t and 2 t + 1 of each 8 of row g at once, which takes B's rows in the order 0 2 4 6 1 3 5 7. Wide
/// panels are shared by neighbouring warps, each with its part of the columns: they find each other's rows in L1.
template <class T, int x_tiles, int y_tiles, int ahead, bool pairs>
__global__ __launch_bounds__(update_threads) void update_kernel(UpdateTask<T> whole_task) {
    const int parts = whole_task.parts;
    const int warp_of_block = static_cast<int>(threadIdx.x) / 32;
    const UpdateTask<T> task = whole_task.of_part(warp_of_block % parts);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int group = lane / 4;
    const int t = lane % 4;
    double b[x_tiles][2][y_tiles];
#pragma unroll
    for (int s = 0; s < x_tiles; ++s) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
#pragma unroll
            for (int j = 0; j < y_tiles; ++j) {
                const int row = 8 * s + 2 * t + odd;
                const int col = 8 * j + group;
                const bool inside = row < task.x.n_cols && col < task.y.n_cols;
                b[s][odd][j] = inside ? task.alpha * task.b[row * task.ldb + col] : 0;
            }
        }
    }
    constexpr int step = 8 * ahead;
    const Size n_warps = Size{gridDim.x} * (update_warps / parts);
    const Size warp = Size{blockIdx.x} * (update_warps / parts) + warp_of_block / parts;
    for (Size row = warp * step; row < task.x.n_rows; row += n_warps * step) {
        const bool whole = row + step <= task.x.whole_rows;
        Pair<T> x[ahead][x_tiles];
        Pair<T> y[ahead][y_tiles];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const Size i = row + 8 * u + group;
#pragma unroll
            for (int s = 0; s < x_tiles; ++s) x[u][s] = load_pair<T, pairs>(task.x, i, 8 * s + 2 * t, whole);
#pragma unroll
            for (int j = 0; j < y_tiles; ++j) {
                y[u][j] = task.beta == 0 ? Pair<T>{0, 0} : load_pair<T, pairs>(task.y, i, 8 * j + 2 * t, whole);
            }
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
#pragma unroll
            for (int j = 0; j < y_tiles; ++j) {
                double sum[2] = {task.beta * y[u][j].first, task.beta * y[u][j].second};
#pragma unroll
                for (int s = 0; s < x_tiles; ++s) {
                    multiply_8x8x4(sum, x[u][s].first, b[s][0][j]);
                    multiply_8x8x4(sum, x[u][s].second, b[s][1][j]);
                }
                store_pair<T, pairs>(task.y, task.out, row + 8 * u + group, 8 * j + 2 * t, whole, sum[0], sum[1]);
            }
        }
    }
}

template <class T>
bool in_pairs(const Panel<T>& panel) {
    return reinterpret_cast<std::uintptr_t>(panel.data) % sizeof(Pair<T>) == 0 && panel.ld % 2 == 0;
}

template <class T, int x_tiles, int y_tiles, int ahead>
void launch_update(Cuda& backend, const UpdateTask<T>& task) {
    const auto kernel = in_pairs(task.x) && in_pairs(task.y) ? update_kernel<T, x_tiles, y_tiles, ahead, true>
                                                             : update_kernel<T, x_tiles, y_tiles, ahead, false>;
    const int per_multiprocessor =
        blocks_at_once(backend, kernel, update_threads, 0, "asking for the occupancy of panel_update");
    const Size rows_of_block = Size{8} * ahead * update_warps / task.parts;
    const Size wanted = (task.x.n_rows + rows_of_block - 1) / rows_of_block;
    const Size most = Size{backend.device().multiprocessors} * per_multiprocessor;
    kernel<<<static_cast<unsigned>(std::min(wanted, most)), update_threads, 0, backend.stream()>>>(task);
    check_cuda(cudaGetLastError(), "updating a panel");
}

template <class T>
void launch_update(Cuda& backend, const UpdateTask<T>& task) {
    const int widest = std::max(task.x.n_cols, task.y.n_cols);
    static_assert(update_warps % (max_panel_columns / part_columns) == 0);
    if (widest <= 8) return launch_update<T, 1, 1, 4>(backend, task);
    if (widest <= 16) return launch_update<T, 2, 2, 2>(backend, task);
    if (widest <= 32) return launch_update<T, 4, 4, 1>(backend, task);
    launch_update<T, 8, 4, 1>(backend, task);
}

}  // namespace

}  // namespace cuda

template <class T>
void panel_update(Cuda& backend, double alpha, DeviceMatrix<const std::type_identity_t<T>> x,
                  DeviceMatrix<const double> b, double beta, DeviceMatrix<T> y) {
    check_panel_update(shape_of(x), shape_of(b), shape_of(y));
    if (y.n_rows == 0 || y.n_cols == 0) return;
    if (cuda::narrow_update<T>(backend, alpha, x, b, beta, y)) return;
    cuda::UpdateTask<T> task;
    task.x = cuda::panel(x, 1);
    task.y = cuda::panel<T>(y, 1);
    task.out = y.data;
    task.b = b.data;
    task.ldb = b.ld;
    task.alpha = alpha;
    task.beta = beta;
    task.parts = (y.n_cols + cuda::part_columns - 1) / cuda::part_columns;
    cuda::launch_update(backend, task);
}

template void panel_update(Cuda&, double, DeviceMatrix<const double>, DeviceMatrix<const double>, double,
                           DeviceMatrix<double>);
template void panel_update(Cuda&, double, DeviceMatrix<const float>, DeviceMatrix<const double>, double,
                           DeviceMatrix<float>);

}  // namespace stiefel
