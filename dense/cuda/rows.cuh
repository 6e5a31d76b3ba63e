#pragma once

#include "stiefel/core/cuda/launch.cuh"

#include <algorithm>

namespace stiefel {

inline constexpr int rows_threads = 256;

template <class Operation>
__global__ void __launch_bounds__(rows_threads) rows_kernel(Size n, Operation operation) {
    begin_kernel();
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) operation(i);
}

/// operation(i) for all i < n on the device: what the overloads of for_rows() there are made of.
template <class Operation>
void run_rows(Cuda& backend, Size n, const Operation& operation, const char* doing) {
    if (n == 0) return;
    const Size most = Size{backend.device().multiprocessors} * 16;
    launch(backend, rows_kernel<Operation>, static_cast<int>(std::min((n + rows_threads - 1) / rows_threads, most)),
           rows_threads, doing, n, operation);
}

}  // namespace stiefel
