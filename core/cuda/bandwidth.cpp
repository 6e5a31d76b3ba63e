#include "stiefel/core/bandwidth.hpp"

#include "stiefel/core/cuda.hpp"

#include <algorithm>
#include <array>

namespace stiefel {

double copy_bandwidth(const Cuda& backend, Size bytes) {
    require(bytes > 0, "copy_bandwidth: bytes must be positive");
    DeviceVector<char> from(backend, bytes), to(backend, bytes);
    backend.zero_bytes(from.data(), bytes);
    backend.copy_bytes(to.data(), from.data(), bytes);
    std::array<double, 9> seconds{};
    for (double& s : seconds) {
        CudaEvent start, stop;
        start.record(backend);
        backend.copy_bytes(to.data(), from.data(), bytes);
        stop.record(backend);
        s = stop.seconds_since(start);
    }
    std::sort(seconds.begin(), seconds.end());
    return 2.0 * static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

}  // namespace stiefel
