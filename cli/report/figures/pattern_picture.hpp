#pragma once

#include "stiefel/analysis/pattern_raster.hpp"

#include <string>

namespace stiefel::cli {

/// Where the entries of a matrix lie: cells are the stronger the more of their places hold one, on a logarithmic scale
/// between the emptiest that has any and the fullest.
std::string pattern_svg(const PatternRaster& raster);

/// What its shades stand for: "Each square stands for some 127 x 127 places; where there are entries, 0.03 %
/// (faintest) to 5.1 % (strongest) hold one."
std::string pattern_caption(const PatternRaster& raster);

}  // namespace stiefel::cli
