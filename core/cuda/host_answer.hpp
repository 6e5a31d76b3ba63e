#pragma once

#include "stiefel/core/cuda/check.hpp"

namespace stiefel {

/// A number in memory of the host that a kernel writes to, for what the host waits for: it is there when the stream's
/// work is done, where a vector of one element and its copy take 12 us more (H100).
class HostAnswer {
public:
    /// The device is current.
    HostAnswer();
    HostAnswer(const HostAnswer&) = delete;
    HostAnswer& operator=(const HostAnswer&) = delete;
    ~HostAnswer();

    /// Where the kernel that is enqueued next writes it; one at a time.
    double* place() { return on_device_; }

    /// Waits for all that was enqueued.
    double await(const Cuda& backend) const;

private:
    double* on_host_ = nullptr;
    double* on_device_ = nullptr;
};

}  // namespace stiefel
