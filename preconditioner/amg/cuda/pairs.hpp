#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/amg/pair_wish.hpp"

namespace stiefel::amg {

/// As the host's Pairs.
struct DevicePairs {
    DeviceVector<Index> first;
    DeviceVector<Index> second;
    DeviceVector<Index> of_node;

    Index count() const { return static_cast<Index>(first.size()); }
    Size bytes() const { return first.bytes() + second.bytes() + of_node.bytes(); }
};

/// As the host's, of a whole grid.
DeviceVector<GridLines> lines_of(Cuda&, const DeviceCsr<double>& a);

/// As the host's, but that rounds go on until nobody is left who might be paired; places are on the device. Waits for
/// the device twice as a rule.
DevicePairs strongest_pairs(Cuda&, const DeviceCsr<double>& a, const DeviceMatrix& found, const GridPlaces&);

/// As the host's.
DeviceVector<Index> numbers_of(Cuda&, const DevicePairs&, const GridPlaces& nodes);

/// As the host's. Waits for the device once.
DeviceCsr<double> sum_of_pairs(Cuda&, const DeviceCsr<double>& a, const DeviceVector<Index>& pair_of_node,
                               const DevicePairs& pairs, double factor);

/// Adds `times` the sum of each row to its diagonal, where it is positive: see keep_row_sums() of the host. beside: the
/// sums of what the rows have beside `coarse`, if anything.
void keep_row_sums(Cuda&, DeviceCsr<double>& coarse, double times, const DeviceVector<double>* beside = nullptr);

/// As the host's, and as strong as look_at_rows() found before; what it found changes with the values. times: what is
/// added to weak couplings, of theirs.
void keep_weak_couplings(Cuda&, DeviceCsr<double>& coarse, const DeviceMatrix& found, double times);

/// to[i] = through[to[i]]
void renumber(Cuda&, const DeviceVector<Index>& through, DeviceVector<Index>& to);

/// n x n_aggregates, a 1 in each row.
DeviceCsr<double> indicator(Cuda&, DeviceVector<Index> of_node, Index n_aggregates);

}  // namespace stiefel::amg
