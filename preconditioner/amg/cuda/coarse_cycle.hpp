#pragma once

#include "stiefel/core/cuda.hpp"

#include <array>
#include <cstdint>

namespace stiefel::amg {

/// A matrix as a kernel reads it: entry j of slot s lies at first(s) + j step. CSR, whose slots are its rows, or SELL.
template <class S>
struct CoarseMatrix {
    Index n_rows = 0;
    Index n_slots = 0;
    const std::int32_t* row_ptr = nullptr;  ///< of CSR
    const Size* slice_ptr = nullptr;        ///< of SELL
    const Index* row_of_slot = nullptr;     ///< null: row s in slot s
    Index slice_height = 1;
    const Index* col_idx = nullptr;
    const S* values = nullptr;
    int lanes = 1;  ///< threads a row, a power of two
};

/// Entries of a row that a thread loads at once.
inline constexpr int coarse_batch = 8;

/// The most steps of a Chebyshev smoother, and the most levels, that one kernel takes.
inline constexpr std::size_t most_coarse_steps = 4;
inline constexpr std::size_t most_coarse_levels = 12;

template <class S>
struct CoarseLevel {
    CoarseMatrix<S> a, prolong, restrict_;
    S *r, *x, *d, *e;
    std::array<S, most_coarse_steps> rho, sigma;
};

/// The levels from one on, and the inverse of the last one's matrix.
template <class S>
struct CoarseLevels {
    std::array<CoarseLevel<S>, most_coarse_levels> levels;  ///< of the last only r and x
    int n_levels = 0;
    int n_steps = 0;
    CoarseMatrix<S> inverse;
};

/// x = M r on the first of these levels by one V-cycle over all of them, in one kernel: a cluster of blocks that wait
/// for each other where otherwise one kernel would follow another. On levels that a few multiprocessors can read in a
/// microsecond, starting kernels is what takes the time.
template <class S>
void run_coarse_cycle(Cuda&, const CoarseLevels<S>& levels);

}  // namespace stiefel::amg
