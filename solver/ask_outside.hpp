#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/solver/stop_reason.hpp"

namespace stiefel {

/// `running`, or the reason for which a run is to end from outside: its monitor says so, or its time is up. Asked after
/// every iteration, 0 included.
template <class Options, class Progress>
StopReason ask_outside(const Options& options, const Progress& progress, const Stopwatch& since_start) {
    if (options.monitor && !options.monitor(progress)) return StopReason::interrupted;
    if (since_start.seconds() >= options.time_limit) return StopReason::time_limit;
    return StopReason::running;
}

/// The same of all processes of the backend's world: what one wants, all do.
template <class B, class Options, class Progress>
StopReason ask_outside(const B& backend, const Options& options, const Progress& progress,
                       const Stopwatch& since_start) {
    const StopReason here = ask_outside(options, progress, since_start);
    return static_cast<StopReason>(static_cast<int>(agreed(backend, static_cast<double>(here))));
}

}  // namespace stiefel
