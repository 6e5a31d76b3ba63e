#pragma once

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

}  // namespace stiefel
