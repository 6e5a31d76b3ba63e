#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/spmv/coo.hpp"

#include <cstdint>

namespace stiefel::bench {

struct SymmetricPatternTargets {
    Size entries = 0;  ///< of both triangles
    Index longest = 0;
    Index run = 1;
    Index reach = 0;
    bool has_diagonal = true;  ///< in rows that have entries
};

/// The lower triangle of a symmetric matrix with exactly so many entries and nearly these lengths of rows, the diagonal
/// behind all others; values are not set. From the last row to the first each takes what it still lacks, at most half
/// its length unless the band ends there, in columns that are not full. What the last rows of the band (the first of
/// the matrix) then lack is placed just beyond the reach.
Coo<double> symmetric_pattern(const SymmetricPatternTargets& targets, HostVector<Index> lengths, std::uint64_t seed);

}  // namespace stiefel::bench
