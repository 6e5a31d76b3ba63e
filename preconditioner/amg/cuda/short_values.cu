#include "stiefel/preconditioner/amg/short_values.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"

namespace stiefel::amg {

namespace {

__global__ void in_units_kernel(Size n, const float* from, std::int16_t* to) {
    const Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) to[i] = in_units(from[i]);
}

}  // namespace

ShortValues<Cuda> short_values(Cuda& backend, const DeviceSell<float>& a) {
    DeviceVector<std::int16_t> units(backend, a.values.size());
    if (units.empty()) return {};
    in_units_kernel<<<RowLanes<1>::blocks(units.size()), row_threads, 0, backend.stream()>>>(
        units.size(), a.values.data(), units.data());
    check_cuda(cudaGetLastError(), "rounding to 16 bits");
    return {std::move(units)};
}

}  // namespace stiefel::amg
