#pragma once

#include "stiefel/core/memory.hpp"

namespace stiefel::bench {

/// What the lengths of a matrix's rows are to be like.
struct RowLengthTargets {
    Index rows = 0;
    Size entries = 0;
    Index shortest = 0;
    Index longest = 0;
    double deviation = 0;
    Index run = 1;  ///< so many rows after another are of a length
};

/// Lengths with exactly this sum, shortest and longest, and nearly this deviation: quantiles of Kumaraswamy's
/// distribution (1980) between shortest and longest, taken in an order that spreads them evenly over the rows.
HostVector<Index> row_lengths(const RowLengthTargets& targets);

}  // namespace stiefel::bench
