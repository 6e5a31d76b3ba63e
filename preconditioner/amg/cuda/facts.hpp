#pragma once

#include "stiefel/core/cuda.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace stiefel::amg {

/// What kernels find out about a level, for the host. Numbers that are not negative are kept as their bits, which
/// ascend as they do.
struct LevelFacts {
    static constexpr Index none = std::numeric_limits<Index>::max();

    unsigned long long least_diagonal = ~0ull;
    unsigned long long most_diagonal = 0;
    unsigned long long gershgorin = 0;       ///< largest sum of absolutes of a row of D^-1 A
    unsigned long long filtered_radius = 0;  ///< the same of D_F^-1 A_F
    double omega = 0;                        ///< damping of the prolongation's step
    Index first_bad_row = none;              ///< whose diagonal entry is not positive and finite
    unsigned n_coupled = 0;                  ///< rows with entries beside the diagonal
    unsigned n_positive = 0;                 ///< of these, with a good part of them positive
    unsigned any_undecided = 0;              ///< node, in aggregation
    unsigned any_absent = 0;                 ///< unknown, of a coarse matrix of blocks
    Size n_aggregates = 0;

    static double number(unsigned long long bits) { return std::bit_cast<double>(bits); }
};

}  // namespace stiefel::amg
