#pragma once

#include "stiefel/spmv/csr.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace stiefel::amg {

/// What leads from a level to the next and back.
template <class Memory>
struct GridTransfer {
    Csr<double, Memory> prolongation;  ///< n x n of the next level
    Csr<double, Memory> restriction;   ///< its transpose
    std::string_view coarsening;       ///< of coarsenings.hpp: how it was made

    Size bytes() const { return prolongation.bytes() + restriction.bytes(); }
};

/// Shared, as a coarsening that is to make the next levels for other values keeps it.
template <class Memory>
using SharedTransfer = std::shared_ptr<const GridTransfer<Memory>>;

template <class Memory>
SharedTransfer<Memory> share(Csr<double, Memory> prolongation, Csr<double, Memory> restriction,
                             std::string_view coarsening) {
    return std::make_shared<const GridTransfer<Memory>>(
        GridTransfer<Memory>{std::move(prolongation), std::move(restriction), coarsening});
}

}  // namespace stiefel::amg
