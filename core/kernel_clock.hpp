#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace stiefel {

/// How often a kernel ran and how long that took: one row of a report.
struct KernelTime {
    std::string_view name = {};
    Size calls = 0;
    double seconds = 0;  ///< of all calls together
    Work work = {};      ///< of one call
};

/// Times the kernels of an iteration where they are called:
///     clock.start();  first(...);  clock.lap(0);  second(...);  clock.lap(1);
/// Of a kernel that did nothing, as the run had ended before it, the lap says so: it counts as no call. On a device
/// only kernels know. On the host a kernel has ended when its call returns, so a lap is two readings of the clock
/// (about 25 ns each).
template <class B>
class KernelClock;

template <HostBackend B>
class KernelClock<B> {
public:
    KernelClock(B&, std::vector<KernelTime> kernels) : kernels_(std::move(kernels)) {}

    void start() { watch_.restart(); }
    void lap(std::size_t kernel, bool has_run = true) {
        const double seconds = watch_.restart();
        if (!has_run) return;
        kernels_[kernel].seconds += seconds;
        ++kernels_[kernel].calls;
    }
    const std::vector<KernelTime>& kernels() const { return kernels_; }

    /// Forgets the times, for another run of the same kernels.
    void forget() {
        for (KernelTime& kernel : kernels_) kernel.calls = 0, kernel.seconds = 0;
    }

private:
    std::vector<KernelTime> kernels_;
    Stopwatch watch_;
};

/// On a device the clock is read by its stream. Steps that are captured for the graph of a loop are not timed; the few
/// that repeat() runs outside of it are, so `calls` counts a sample of the kernel's calls. The first of them, which
/// loads the kernels, is left out, and those of runs that are all outside of it after the first `most_laps`.
template <>
class KernelClock<Cuda> {
public:
    KernelClock(Cuda& backend, std::vector<KernelTime> kernels) : backend_(backend), kernels_(std::move(kernels)) {}

    void start();
    void lap(std::size_t kernel, bool has_run = true);

    /// Waits for the last lap.
    std::vector<KernelTime> kernels() const;

    /// Keeps the sample: a loop that is captured once is sampled once.
    void forget() {}

private:
    struct Lap {
        std::size_t kernel, end;  ///< which of the events; the one before is its beginning
    };

    static constexpr std::size_t most_laps = 100;

    void record();

    Cuda& backend_;
    std::vector<KernelTime> kernels_;
    std::vector<CudaEvent> events_;
    std::vector<Lap> laps_;
    bool warm_ = false;
    bool timing_ = false;
};

}  // namespace stiefel
