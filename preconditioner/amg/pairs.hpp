#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/amg/pair_wish.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

template <class T>
class FoundRows;

}  // namespace stiefel

namespace stiefel::amg {

/// Disjoint pairs of nodes. A node that is left alone counts as one, too.
struct Pairs {
    HostVector<Index> first;    ///< of a pair, its lower number: ascending
    HostVector<Index> second;   ///< none where the node is alone
    HostVector<Index> of_node;  ///< the number of its pair

    static constexpr Index none = -1;
    Index count() const { return static_cast<Index>(first.size()); }
    Size bytes() const { return first.bytes() + second.bytes() + of_node.bytes(); }
};

/// The lines of the grid that a may come from.
GridLines lines_of(const HostCsr<double>& a);

/// Matches nodes that are coupled most strongly by negative entries (Notay 2010): a few times all those that want each
/// other most among the free ones, then, in the order of their numbers, each that is left with the free one that it
/// wants most. A coupling counts if it reaches a quarter of the strongest that either node has, of any sign; equal ones
/// are told apart by places so that the lines of a grid fall into pairs at once. Nobody is left alone beside a free
/// node that it might be paired with. Does not depend on the threads. The diagonal of A must be positive.
/// O(nnz) steps
Pairs strongest_pairs(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal, const GridPlaces&);
Pairs strongest_pairs(OpenMP&, const FoundRows<double>& a, const GridPlaces&);

/// The numbers on the grid of pairs of nodes.
HostVector<Index> numbers_of(OpenMP&, const Pairs&, const GridPlaces& nodes);

/// factor P'A P where P adds up pairs: their rows and columns are added.
HostCsr<double> sum_of_pairs(OpenMP&, const HostCsr<double>& a, const Pairs& pairs, double factor);
HostCsr<double> sum_of_pairs(OpenMP&, const FoundRows<double>& a, const Pairs& pairs, double factor);

/// P'A P for what is only paired again: its rows stay where they are found.
FoundRows<double> found_sum_of_pairs(OpenMP&, const HostCsr<double>& a, const Pairs& pairs);
FoundRows<double> found_sum_of_pairs(OpenMP&, const FoundRows<double>& a, const Pairs& pairs);

}  // namespace stiefel::amg
