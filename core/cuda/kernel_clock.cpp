#include "stiefel/core/kernel_clock.hpp"

namespace stiefel {

void KernelClock<Cuda>::start() {
    if (backend_.is_capturing()) return;
    timing_ = warm_ && laps_.size() < most_laps;
    warm_ = true;
    if (timing_) record();
}

void KernelClock<Cuda>::lap(std::size_t kernel, bool has_run) {
    if (!has_run || !timing_ || backend_.is_capturing()) return;
    record();
    laps_.push_back({.kernel = kernel, .end = events_.size() - 1});
}

void KernelClock<Cuda>::record() {
    events_.emplace_back();
    events_.back().record(backend_);
}

std::vector<KernelTime> KernelClock<Cuda>::kernels() const {
    std::vector<KernelTime> kernels = kernels_;
    for (const Lap& lap : laps_) {
        kernels[lap.kernel].seconds += events_[lap.end].seconds_since(events_[lap.end - 1]);
        ++kernels[lap.kernel].calls;
    }
    return kernels;
}

}  // namespace stiefel
