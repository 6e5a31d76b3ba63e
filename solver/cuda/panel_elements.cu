#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/panel_elements.hpp"

#include <algorithm>

namespace stiefel {

namespace {

constexpr int threads = 256;

template <class Operation>
__global__ void __launch_bounds__(threads) rows_kernel(Size n, Operation operation) {
    begin_kernel();
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) operation(i);
}

template <class Operation>
void run_rows(Cuda& backend, Size n, const Operation& operation, const char* doing) {
    if (n == 0) return;
    const Size most = Size{backend.device().multiprocessors} * 16;
    launch(backend, rows_kernel<Operation>, static_cast<int>(std::min((n + threads - 1) / threads, most)), threads,
           doing, n, operation);
}

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
}

}  // namespace

template <class T>
void for_rows(Cuda& backend, Size n, Size, const RandomRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "filling a panel with random numbers");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const AssignRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "assigning a panel");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const ScaleRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "scaling the rows of a panel");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const CombineRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "combining panels");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const KeepColumns<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "keeping columns of a panel");
}

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
template void for_rows(Cuda&, Size, Size, const RandomRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const RandomRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const AssignRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const AssignRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const ScaleRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const ScaleRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const CombineRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const CombineRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const KeepColumns<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const KeepColumns<float, DeviceMemory>&);

}  // namespace stiefel
