#include "stiefel/analysis/infinity_norm.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/core/cuda/reduce.cuh"

#include <bit>

namespace stiefel {

namespace {

constexpr int sum_lanes = 8;  // of a row

/// The bits of non-negative doubles are ordered as they are, and those of NaN come above all.
template <class T, class Offset>
__global__ void __launch_bounds__(element_threads)
    row_sums_kernel(Index n_rows, const Offset* row_ptr, const T* values, unsigned long long* largest) {
    const Size row = thread_number() / sum_lanes;
    double sum = 0;
    if (row < n_rows) {
        for (Offset k = row_ptr[row] + static_cast<Offset>(threadIdx.x % sum_lanes); k < row_ptr[row + 1];
             k += sum_lanes) {
            sum += fabs(static_cast<double>(values[k]));
        }
    }
    auto bits = static_cast<unsigned long long>(__double_as_longlong(lanes_sum<sum_lanes>(sum)));
    for (int step = warp_size / 2; step > 0; step /= 2) bits = max(bits, __shfl_xor_sync(all_lanes, bits, step));
    if (threadIdx.x % warp_size == 0) atomicMax(largest, bits);
}

}  // namespace

template <class T>
double infinity_norm(Cuda& backend, const DeviceCsr<T>& a) {
    if (a.n_rows == 0) return 0;
    DeviceVector<unsigned long long> largest(backend, 1);
    backend.zero_bytes(largest.data(), largest.bytes());
    const unsigned blocks = element_blocks(Size{a.n_rows} * sum_lanes);
    a.row_ptr.visit([&](const auto* row_ptr) {
        row_sums_kernel<<<blocks, element_threads, 0, backend.stream()>>>(a.n_rows, row_ptr, a.values.data(),
                                                                          largest.data());
    });
    check_cuda(cudaGetLastError(), "adding up the rows of a matrix");
    return std::bit_cast<double>(load(backend, largest));
}

template double infinity_norm(Cuda&, const DeviceCsr<double>&);
template double infinity_norm(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
