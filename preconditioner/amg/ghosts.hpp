#pragma once

#include "stiefel/core/serial.hpp"
#include "stiefel/world/halo.hpp"

#include <vector>

namespace stiefel::amg {

/// The nodes of other ranks that rows of this one are coupled to: columns of its matrix behind those of its own nodes.
/// Steps of the set-up that need something of them are handed this; in one process there are none.
class Ghosts {
public:
    /// numbers: theirs over all ranks, ascending. All ranks make theirs at once.
    Ghosts(Ranks& ranks, const RowBlocks& nodes, const std::vector<Size>& numbers)
        : n_(nodes.n_rows_of(ranks.rank())), halo_(ranks, nodes, numbers) {}

    Index n_own() const { return n_; }
    Index count() const { return halo_.n_ghosts(); }
    const Halo& halo() const { return halo_; }

    /// values holds so many of each node, this rank's first; those of ghosts become what their ranks hold. All ranks
    /// call it at once.
    template <class T>
    void bring(HostVector<T>& values, Index of_each = 1) {
        Serial serial;
        const Size own = Size{n_} * of_each;
        halo_.begin(serial, HostMatrix<const T>{values.data(), n_, of_each, of_each}, values.data() + own);
        halo_.end();
    }

private:
    Index n_;
    Halo halo_;
};

/// Where there are ghosts.
template <class T>
void bring(Ghosts* ghosts, HostVector<T>& values) {
    if (ghosts != nullptr) ghosts->bring(values);
}

}  // namespace stiefel::amg
