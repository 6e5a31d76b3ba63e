#pragma once

#include "bench/scaling/ranked_run.hpp"

#include <map>
#include <string>
#include <vector>

namespace stiefel::bench {

/// The runs of one kind on each number of ranks.
using RunsByRanks = std::map<int, std::vector<RankedRun>>;

/// Medians: what an iteration takes, how that compares with the first number of ranks, and where it goes.
std::string scaling_table(const ScalingOptions& options, const std::string& kind, const RunsByRanks& runs);

}  // namespace stiefel::bench
