#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/core/kernel_clock.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// What some of the time of a run went into.
struct TimePart {
    std::string name = {};
    double seconds = 0;
    std::string css_class = {};  ///< its colour: of the style sheet
};

/// The parts of a run, in the order in which they were done: set-up as checks and preconditioner, the iterations as
/// their kernels. Parts that took no time are left out; together they are the total. What kernels of a device took is
/// known of a sample alone, and there shares the time of the solve in its proportions.
std::vector<TimePart> time_breakdown(const ComputationReport& report, const std::vector<KernelTime>& kernels);

/// The parts as one bar.
std::string time_bar_svg(const std::vector<TimePart>& parts);

}  // namespace stiefel::cli
