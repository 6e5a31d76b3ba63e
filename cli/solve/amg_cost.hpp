#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cli {

// What multigrid is expected to take beside iterations: by counts, not by a clock, so that what is decided by it is
// decided alike in every run.

/// Seconds on two cores, as bench/fit_costs --multigrid fits them to the measurements in costs_of_amg_on_cores.csv; a
/// test does so again. They are off by 1.3 in the mean for multigrid, by 1.15 for iterations.
struct CostsOfAmgOnCores {
    static constexpr double iteration_byte = 6.3e-12;            ///< that an iteration of CG moves in a cache, and ...
    static constexpr double iteration_entry = 9.2e-11;           ///< ... an entry of A, whose element of x is fetched
    static constexpr double iteration_byte_of_memory = 2.0e-11;  ///< that it moves where it is too large for a cache
    static constexpr double amg_iterations = 140;                ///< as long as which cycles and set-up take, and ...
    static constexpr double amg_entry = 1.9e-8;                  ///< ... an entry of A beside them
};

/// As many iterations of CG as set-up and solve with multigrid take together, where an iteration moves so many bytes,
/// and fetches elements of x for so many entries of A and columns.
constexpr double iterations_of_amg_on_cores(Size nnz, double iteration_bytes, Index columns) {
    using Costs = CostsOfAmgOnCores;
    constexpr double in_cache = 3.2e7;
    const auto entries = static_cast<double>(nnz);
    const double iteration = iteration_bytes < in_cache
                                 ? Costs::iteration_byte * iteration_bytes + Costs::iteration_entry * entries * columns
                                 : Costs::iteration_byte_of_memory * iteration_bytes;
    return Costs::amg_iterations + (iteration > 0 ? Costs::amg_entry * entries / iteration : 0);
}

}  // namespace stiefel::cli
