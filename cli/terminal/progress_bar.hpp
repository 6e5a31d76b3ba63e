#pragma once

#include "stiefel/cli/terminal/convergence_forecast.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/timing.hpp"

#include <limits>
#include <string>

namespace stiefel::cli {

/// What the bar shows.
struct Progress {
    Size iteration = 0;
    double relative_residual = 0;
    double best_residual = 0;  ///< the least so far
    double target = 0;         ///< relative residual asked for
    double fraction = 0;
    std::optional<ConvergenceForecast::Remaining> remaining = {};
};

/// "[####------]  40 %  iteration 1,312  residual 3.2e-05  best 2.1e-05 (to 1e-08)  eta 12.3 s", in at most `width`
/// columns: the bar shrinks first, then the less important parts go; iteration and best residual stay to the last.
/// Where the time is only that until a limit ends the solve, it says "limit in 3 min 05 s".
std::string progress_text(const Progress& progress, int width);

/// Shows how a solve proceeds on the status line, ten times a second, from the moment it takes noticeably long.
class ProgressBar {
public:
    ProgressBar(StatusLine& line, double target, Size max_iterations,
                double time_limit = std::numeric_limits<double>::infinity())
        : line_(line), target_(target), forecast_(target, max_iterations, time_limit) {}

    void update(Size iteration, double relative_residual);

private:
    StatusLine& line_;
    double target_;
    ConvergenceForecast forecast_;
    Stopwatch since_start_ = {};
    double next_ = 0;  ///< seconds since the start at which to look next
};

}  // namespace stiefel::cli
