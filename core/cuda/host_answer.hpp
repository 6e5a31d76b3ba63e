#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/cuda/mapped_memory.hpp"

namespace stiefel {

/// Memory of the host that kernels write to, for what the host waits for: it is there when the stream's work is done.
/// A copy into the host's other memory begins only then, and takes 7 to 11 us more (H100). Made where the device is
/// current.
class HostAnswer {
public:
    /// Where the kernel that is enqueued next writes a number; one at a time.
    double* place() { return number_.on_device(); }

    /// Waits for all that was enqueued.
    double await(const Cuda& backend) const {
        backend.synchronize();
        return *static_cast<const volatile double*>(number_.on_host());
    }

    /// Copies of more bytes are for the copy engines: at the bus's rate they take longer than these to begin.
    static constexpr Size most_bytes = Size{64} << 10;

    /// Up to most_bytes of the device's memory, by a kernel: 2 us (H100). Waits for all that was enqueued.
    void download(const Cuda& backend, void* to, const void* from, Size bytes);

private:
    MappedMemory<double> number_{1};
    MappedMemory<unsigned char> copy_{most_bytes};
};

}  // namespace stiefel
