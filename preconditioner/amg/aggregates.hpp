#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// Disjoint groups of nodes that become one each on the next level.
struct Aggregates {
    HostVector<Index> of_node;  ///< the number of its aggregate, for each row of A
    Index count = 0;
};

/// The greedy aggregation of Vanek, Mandel and Brezina (1996), on one thread: a node whose strong neighbours are all
/// free forms an aggregate with them; nodes left over join the aggregate that they are coupled to most strongly in all;
/// what then remains forms aggregates of its own. Every node gets one. Columns beyond the
/// rows, of nodes of other ranks, are left alone.                                                         O(nnz) steps
Aggregates greedy_aggregates(const HostCsr<double>& a, const Strength& is_strong);

}  // namespace stiefel::amg
