#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// A curve thinned to about 2 n_buckets points: of each stretch of the history the least and the greatest, in order, so
/// that no peak is lost. Points are (iteration, residual); what a logarithmic axis cannot show (zero, NaN) is left out.
std::vector<std::pair<double, double>> thinned(std::span<const double> history, std::size_t n_buckets);

/// The residual over the iterations as an SVG element, logarithmic, with a dashed line at `target` (none if 0).
/// Colours come from the page's CSS: classes axis, grid, curve, target.
std::string residual_svg(std::span<const double> history, double target);

}  // namespace stiefel::cli
