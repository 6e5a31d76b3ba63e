#pragma once

#include "bench/scaling/scaling_options.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stiefel::bench {

/// One solve on so many ranks, as its report tells of it.
struct RankedRun {
    double iteration = 0;                      ///< seconds of one, in all
    std::optional<double> halo = 0, sums = 0;  ///< of them, waiting in these; none where it is not known
    Size rows = 0;
    Size sent = 0;             ///< bytes, in a product
    std::string one_gpu = {};  ///< why fewer ranks computed than were asked for; empty where all did
    std::string report = {};   ///< JSON
};

/// The system of that kind: strong or weak.
std::string scaling_system(const ScalingOptions& options, std::string_view kind, int ranks);

/// Solves it by CG with Jacobi, for as many iterations as are asked for. Throws Error, with what was said, where there
/// is no report.
RankedRun run_on_ranks(const ScalingOptions& options, std::string_view kind, int ranks);

}  // namespace stiefel::bench
