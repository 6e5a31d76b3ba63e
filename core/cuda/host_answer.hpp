#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/cuda/mapped_memory.hpp"

#include <array>

namespace stiefel {

/// Has a kernel write bytes of the device's memory into memory of the host that it reaches, in the order of the stream.
void write_to_host(const Cuda& backend, void* to, const void* from, Size bytes);

/// Memory of the host that kernels write to, for what the host waits for: it is there when the stream's work is done.
/// A copy into the host's other memory begins only then, and takes 7 to 11 us more (H100). Made where the device is
/// current.
class HostAnswer {
public:
    /// Numbers that the host waits for together.
    static constexpr int most_numbers = 2;

    /// Where the kernel that is enqueued next writes the number k; each once before the host waits.
    double* place(int k = 0) { return numbers_.on_device() + k; }

    /// The first n numbers, once all that was enqueued is done.
    template <int n = 1>
    std::array<double, n> await(const Cuda& backend) const {
        static_assert(n <= most_numbers);
        backend.synchronize();
        std::array<double, n> found;
        for (int k = 0; k < n; ++k) found[k] = static_cast<const volatile double*>(numbers_.on_host())[k];
        return found;
    }

    /// Copies of more bytes are for the copy engines: at the bus's rate they take longer than these to begin.
    static constexpr Size most_bytes = Size{64} << 10;

    /// Up to most_bytes of the device's memory, by a kernel: 2 us (H100). Waits for all that was enqueued.
    void download(const Cuda& backend, void* to, const void* from, Size bytes);

private:
    MappedMemory<double> numbers_{most_numbers};
    MappedMemory<unsigned char> copy_{most_bytes};
};

}  // namespace stiefel
