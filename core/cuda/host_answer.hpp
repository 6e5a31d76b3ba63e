#pragma once

#include "stiefel/core/cuda/mapped_memory.hpp"

namespace stiefel {

/// A number in memory of the host that a kernel writes to, for what the host waits for: it is there when the stream's
/// work is done, where a vector of one element and its copy take 12 us more (H100). Made where the device is current.
class HostAnswer {
public:
    /// Where the kernel that is enqueued next writes it; one at a time.
    double* place() { return number_.on_device(); }

    /// Waits for all that was enqueued.
    double await(const Cuda& backend) const {
        backend.synchronize();
        return *static_cast<const volatile double*>(number_.on_host());
    }

private:
    MappedMemory<double> number_{1};
};

}  // namespace stiefel
