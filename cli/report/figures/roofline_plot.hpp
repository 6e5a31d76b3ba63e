#pragma once

#include "stiefel/core/kernel_clock.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace stiefel::cli {

/// What rates of reading and computing allow.
struct Roof {
    const char* name;                                        ///< of what is read: "memory", "caches"
    double bandwidth;                                        ///< bytes per second
    double flops = std::numeric_limits<double>::infinity();  ///< per second; infinite: not measured

    /// Flops per second at so many flops a byte.
    double at(double intensity) const { return std::min(bandwidth * intensity, flops); }
};

/// The kernels in the roofline model (Williams, Waterman, Patterson 2009): for each the rate of its floating-point
/// operations over their number for each byte that it must move at least, and the line that the roof allows, if it was
/// measured, up to where it turns level. Left out are kernels whose work is not counted, and those that had none to do,
/// as the run had ended. Empty where none is left.
std::string roofline_svg(const std::vector<KernelTime>& kernels, std::optional<Roof> roof);

}  // namespace stiefel::cli
