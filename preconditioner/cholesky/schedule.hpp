#pragma once

#include "stiefel/preconditioner/cholesky/symbolic.hpp"

#include <vector>

namespace stiefel::cholesky {

/// Who does what: subtrees that a thread goes through alone, and the supernodes above them, which all share.
struct Schedule {
    int threads = 1;
    std::vector<Index> subtrees = {};  ///< their roots, the one with most work first
    std::vector<Index> top = {};       ///< the supernodes above, in postorder
};

/// A schedule that leaves no thread without work for long: as many subtrees as it takes until none has more than an
/// eighth of a thread's share.
Schedule make_schedule(const Symbolic& symbolic, int threads);

}  // namespace stiefel::cholesky
