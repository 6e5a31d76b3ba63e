#pragma once

#include "stiefel/analysis/row_length_histogram.hpp"

#include <string>

namespace stiefel::cli {

/// How many rows have how many entries, as bars; on a logarithmic axis where some bars are a hundred times as high as
/// others.
std::string row_lengths_svg(const RowLengthHistogram& histogram);

}  // namespace stiefel::cli
