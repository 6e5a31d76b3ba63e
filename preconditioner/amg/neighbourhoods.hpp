#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// What the graph of a matrix looks like from near by, from a sample of nodes.
struct Neighbourhoods {
    /// Nodes that are strongly coupled to one, on average.
    double strong = 0;
    /// Of the grid that it might be: how a ball of strong couplings grows with its radius.
    double dimension = 0;
    /// Entries of the next matrix for one of this one, if smoothed aggregation makes it: aggregates are balls of radius
    /// 1, and those that lie three steps apart are coupled.
    double smoothed_growth = 0;
};

/// The diagonal of A must be positive. Takes as long as some thousand rows.
Neighbourhoods sample_neighbourhoods(const HostCsr<double>& a, const HostVector<double>& diagonal);

}  // namespace stiefel::amg
