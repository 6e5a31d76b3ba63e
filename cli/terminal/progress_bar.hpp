#pragma once

#include "stiefel/cli/terminal/convergence_forecast.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/timing.hpp"

#include <string>

namespace stiefel::cli {

/// What the bar shows.
struct Progress {
    Size iteration = 0;
    double relative_residual = 0;
    double target = 0;  ///< relative residual asked for
    double fraction = 0;
    std::optional<double> remaining_seconds = {};
};

/// "[########----------]  40 %  iteration 1,312  residual 3.2e-05 (to 1e-08)  eta 12.3 s", in at most `width` columns:
/// the bar shrinks first, then the less important parts go.
std::string progress_text(const Progress& progress, int width);

/// Shows how a solve proceeds on the status line, ten times a second, from the moment it takes noticeably long.
class ProgressBar {
public:
    ProgressBar(StatusLine& line, double target, Size max_iterations)
        : line_(line), target_(target), forecast_(target, max_iterations) {}

    void update(Size iteration, double relative_residual);

private:
    StatusLine& line_;
    double target_;
    ConvergenceForecast forecast_;
    Stopwatch since_start_ = {};
    double next_ = 0;  ///< seconds since the start at which to look next
};

}  // namespace stiefel::cli
