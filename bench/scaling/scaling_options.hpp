#pragma once

#include "stiefel/core/types.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// What `stiefel-bench scaling` is asked for.
struct ScalingOptions {
    std::vector<std::string> kinds{"strong", "weak"};
    std::vector<int> ranks{1, 2, 4};  ///< what is measured on the first is what others are compared with
    std::string problem = "poisson3d";
    Size size = 96;  ///< points along an edge
    std::string backend = "openmp";
    int threads = 1;  ///< of each rank of cores
    Size iterations = 100;
    int rounds = 5;
    std::string program = {};                       ///< `stiefel`
    std::string mpirun = "mpirun --oversubscribe";  ///< what starts ranks, with its options
    std::string json = {};                          ///< a file for the reports of all runs; empty: none
};

/// Throws InvalidArgument for words that are not among those.
ScalingOptions parse_scaling_options(const std::vector<std::string>& arguments);

/// The page that --help prints.
std::string scaling_help();

}  // namespace stiefel::bench
