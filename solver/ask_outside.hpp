#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <string>

namespace stiefel {

/// `running`, or the reason for which a run is to end from outside: its monitor says so, or its time is up. Asked after
/// every iteration, 0 included.
template <class Options, class Progress>
StopReason ask_outside(const Options& options, const Progress& progress, const Stopwatch& since_start) {
    if (options.monitor && !options.monitor(progress)) return StopReason::interrupted;
    if (since_start.seconds() >= options.time_limit) return StopReason::time_limit;
    return StopReason::running;
}

/// Throws InvalidArgument unless time_limit is a time.
inline void check_time_limit(const char* method, double time_limit) {
    if (!(time_limit >= 0)) throw InvalidArgument(std::string(method) + ": time_limit must not be negative or NaN");
}

}  // namespace stiefel
