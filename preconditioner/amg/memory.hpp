#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/core/memory.hpp"
#include "stiefel/core/transfer.hpp"

namespace stiefel::amg {

/// Memory that the set-up of a hierarchy for A of so many rows and nonzeros takes beside A, in bytes: an estimate that
/// was above what grids in two and three dimensions, elasticity and circuits took, whose operator complexity is at most
/// 2. Where coarse matrices fill up, as those of random graphs do, it is far too low.
constexpr Size setup_bytes(Index n_rows, Size nnz) {
    constexpr Size a_nonzero = 25, a_row = 400;
    return a_nonzero * nnz + a_row * n_rows;
}

template <HostBackend B>
Size free_bytes(const B&) {
    return available_memory();
}
inline Size free_bytes(const Cuda& backend) {
    return backend.free_bytes();
}

/// Throws OutOfMemory unless a set-up for A should fit where the backend computes, before anything is built.
template <class B>
void require_room(const B& backend, Index n_rows, Size nnz) {
    const Size needed = setup_bytes(n_rows, nnz), available = free_bytes(backend);
    if (needed > available) throw OutOfMemory("the set-up of amg", needed, available);
}

}  // namespace stiefel::amg
