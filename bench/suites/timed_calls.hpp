#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"

#ifdef STIEFEL_HAS_CUDA
#include "bench/cuda/timing.hpp"
#endif

#include <algorithm>
#include <functional>
#include <memory>

namespace stiefel::bench {

/// A sample of a call: a function that gives its seconds, so many calls at a time that a clock tells them apart. The
/// call has been made before, so that its operands are where they are used. It must outlive the function.
template <HostBackend B, class F>
std::function<double()> timed_calls(B&, F& call) {
    constexpr double long_enough = 5e-5;
    constexpr int most = 1000;
    const Stopwatch once;
    call();
    const double one = std::max(once.seconds(), long_enough / most);
    const int calls = one < long_enough ? static_cast<int>(long_enough / one) + 1 : 1;
    return [calls, &call] {
        const Stopwatch watch;
        for (int i = 0; i < calls; ++i) call();
        return watch.seconds() / calls;
    };
}

/// One call between two readings of the clock.
template <HostBackend B, class F>
double seconds_of(B&, F&& call) {
    const Stopwatch watch;
    call();
    return watch.seconds();
}

#ifdef STIEFEL_HAS_CUDA
/// In a graph, by the device's events.
template <class F>
std::function<double()> timed_calls(Cuda& backend, F& call) {
    const auto calls = std::make_shared<TimedCalls>(backend, call);
    return [calls, &backend] { return calls->seconds(backend); };
}

template <class F>
double seconds_of(Cuda& backend, F&& call) {
    CudaEvent begin, end;
    begin.record(backend);
    call();
    end.record(backend);
    return end.seconds_since(begin);
}
#endif

}  // namespace stiefel::bench
