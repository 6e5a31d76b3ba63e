#include "stiefel/cli/machine.hpp"

namespace stiefel::cli {

std::string device_name(const Cuda& backend) {
    return backend.device().name;
}

bool fits_in_cache(const Cuda& backend, Size bytes) {
    return bytes <= backend.device().l2_bytes;
}

double measured_bandwidth(const Cuda& backend, Size) {
    return copy_bandwidth(backend);
}

}  // namespace stiefel::cli
