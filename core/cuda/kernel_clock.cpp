#include "stiefel/core/kernel_clock.hpp"

namespace stiefel {

void KernelClock<Cuda>::start() {
    if (backend_.is_capturing()) return;
    timing_ = warm_;
    warm_ = true;
    if (!timing_) return;
    laps_.push_back({});
    laps_.back().begin.record(backend_);
}

void KernelClock<Cuda>::lap(std::size_t kernel, bool has_run) {
    if (!has_run || !timing_ || backend_.is_capturing()) return;
    laps_.back().kernel = kernel;
    laps_.back().end.record(backend_);
    laps_.push_back({});
    laps_.back().begin.record(backend_);
}

std::vector<KernelTime> KernelClock<Cuda>::kernels() const {
    std::vector<KernelTime> kernels = kernels_;
    for (const Lap& lap : laps_) {
        if (lap.kernel == Lap::none) continue;
        kernels[lap.kernel].seconds += lap.end.seconds_since(lap.begin);
        ++kernels[lap.kernel].calls;
    }
    return kernels;
}

}  // namespace stiefel
