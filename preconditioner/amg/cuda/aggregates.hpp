#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"

namespace stiefel::amg {

/// Disjoint groups of nodes, as the host's Aggregates.
struct DeviceAggregates {
    DeviceVector<Index> of_node;
    Index count = 0;
};

/// Aggregates around the nodes of a maximal set no two of which are two or fewer strong couplings apart, by parallel
/// rounds (Bell, Dalton and Olson 2012): priorities are hashes of nodes' numbers, so the set is the same in every run.
/// Strong neighbours of such a node form its aggregate. The holes between them get aggregates in the same way, where
/// they are large (Kelley and Rajamanickam 2022); what is left joins the neighbour that it is coupled to most strongly.
/// Waits for the device thrice as a rule, and returns its facts.
DeviceAggregates parallel_aggregates(Cuda&, const DeviceCsr<double>& a, const DeviceStrength&, DeviceMatrix& of,
                                     LevelFacts& facts);

}  // namespace stiefel::amg
