#include "stiefel/solver/ritz_residual.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"

#include <algorithm>

namespace stiefel {

namespace {

constexpr int threads = 256;
constexpr int most_blocks = 1024;

/// Thread t of a block has column t % k of every (threads / k)-th row of the block's share.
template <class T>
__global__ void __launch_bounds__(threads)
    ritz_residual_kernel(DeviceMatrix<const T> ax, DeviceMatrix<const T> x, const double* values, DeviceMatrix<T> r,
                         ReductionScratch scratch, double* norms2) {
    begin_kernel();
    __shared__ double of_thread[threads];
    __shared__ bool is_last;
    const int k = r.n_cols;
    const int rows = threads / k;
    const int j = static_cast<int>(threadIdx.x) % k;
    const int lane = static_cast<int>(threadIdx.x) / k;
    double sum = 0;
    if (lane < rows) {
        const double value = values[j];
        for (Size i = Size{blockIdx.x} * rows + lane; i < r.n_rows; i += Size{gridDim.x} * rows) {
            const double element = ax.data[i * ax.ld + j] - value * x.data[i * x.ld + j];
            r.data[i * r.ld + j] = static_cast<T>(element);
            sum += element * element;
        }
    }
    of_thread[threadIdx.x] = sum;
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < k) {
        for (int other = 1; other < rows; ++other) sum += of_thread[other * k + j];
        scratch.partials[static_cast<Size>(blockIdx.x) * k + j] = sum;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(scratch.ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    sum = 0;
    if (lane < rows) {
        for (int block = lane; block < static_cast<int>(gridDim.x); block += rows) {
            sum += __ldcg(scratch.partials + static_cast<Size>(block) * k + j);
        }
    }
    of_thread[threadIdx.x] = sum;
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < k) {
        for (int other = 1; other < rows; ++other) sum += of_thread[other * k + j];
        norms2[j] = sum;
    }
    all_sum(scratch.world, norms2, 1, k, k);
}

}  // namespace

template <class T>
void ritz_residual(Cuda& backend, DeviceMatrix<const T> ax, DeviceMatrix<const T> x, const double* values,
                   DeviceMatrix<T> r, double* norms2) {
    if (r.n_cols == 0) return;
    const Size rows = threads / r.n_cols;
    const Size most = std::min<Size>(most_blocks, Size{backend.device().multiprocessors} * 8);
    const auto blocks = static_cast<int>(std::clamp<Size>((r.n_rows + rows - 1) / rows, 1, most));
    launch(backend, ritz_residual_kernel<T>, blocks, threads, "forming Ritz residuals", ax, x, values, r,
           backend.reduction(), norms2);
}

template void ritz_residual(Cuda&, DeviceMatrix<const double>, DeviceMatrix<const double>, const double*,
                            DeviceMatrix<double>, double*);
template void ritz_residual(Cuda&, DeviceMatrix<const float>, DeviceMatrix<const float>, const double*,
                            DeviceMatrix<float>, double*);

}  // namespace stiefel
