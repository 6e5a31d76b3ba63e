#pragma once

#include "stiefel/cli/report/iteration_marks.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// A curve thinned to about 2 n_buckets points: of each stretch of the history the least and the greatest, in order, so
/// that no peak is lost. Points are (iteration, residual); what a logarithmic axis cannot show (zero, NaN) is left out.
std::vector<std::pair<double, double>> thinned(std::span<const double> history, std::size_t n_buckets);

/// What is drawn of how a computation converged, on a logarithmic axis.
struct ResidualPlot {
    /// From this residual on iterations are done in another way.
    struct Change {
        Size at = 0;  ///< index into the history
        std::string name = {};
    };

    std::string_view quantity = "relative residual";
    std::span<const double> history = {};  ///< what is not a positive number is left out
    std::vector<Size> starts = {};         ///< indices at which another solve begins, and another curve with it
    std::vector<Change> changes = {};
    double target = 0;        ///< what was asked for, a line; 0: nothing
    double attainable = 0;    ///< what rounding may leave, a line; 0: nothing to show
    double error_factor = 0;  ///< the error is at most so many times the residual, another curve; 0: nobody knows
};

/// Over the iterations.
std::string residual_svg(const ResidualPlot& plot);

/// Over the seconds since the first was begun.
std::string residual_svg(const ResidualPlot& plot, const IterationMarks& marks);

}  // namespace stiefel::cli
