#pragma once

#include "stiefel/core/kernel_clock.hpp"

#include <optional>
#include <string>
#include <vector>

namespace stiefel::cli {

/// What a rate of reading allows, and of what it is: "memory", "caches".
struct Roof {
    const char* name;
    double bandwidth;  ///< bytes per second
};

/// The kernels in the roofline model (Williams, Waterman, Patterson 2009): for each the rate of its floating-point
/// operations over their number for each byte that it must move at least, and the line that the roof allows, if it was
/// measured. Left out are kernels whose work is not counted, and those that had none to do, as the run had ended. Empty
/// where none is left.
std::string roofline_svg(const std::vector<KernelTime>& kernels, std::optional<Roof> roof);

}  // namespace stiefel::cli
