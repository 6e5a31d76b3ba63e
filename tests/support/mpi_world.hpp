#pragma once

#include "stiefel/world/mpi/mpi_ranks.hpp"

namespace stiefel::test {

/// The ranks that mpirun has started; MPI begins with the first call.
inline MpiRanks& ranks() {
    static MpiRanks ranks;
    return ranks;
}

}  // namespace stiefel::test
