#include "stiefel/cli/machine.hpp"

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/peak_flops.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace stiefel::cli {

std::string device_name(const Cuda& backend) {
    return backend.device().name;
}

std::string device_software(const Cuda&) {
    const auto dotted = [](int cuda) { return fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10); };
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    return fmt::format("CUDA {}, driver for {}", dotted(CUDART_VERSION), dotted(driver));
}

bool fits_in_cache(const Cuda& backend, Size bytes) {
    return bytes <= backend.device().l2_bytes;
}

double measured_bandwidth(const Cuda& backend, Size) {
    return copy_bandwidth(backend);
}

template <class T>
double measured_peak(const Cuda& backend) {
    return peak_flops<T>(backend);
}

template double measured_peak<double>(const Cuda&);
template double measured_peak<float>(const Cuda&);

}  // namespace stiefel::cli
