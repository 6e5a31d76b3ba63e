#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/dense/small/team.hpp"

namespace stiefel {

/// Solves a small problem, an object that is called with a team, where the backend computes: here by one thread. On
/// CUDA by one block, through overloads for the problems there are: their definitions need nvcc (see
/// dense/small/run_on_block.cuh).
template <class Problem>
void run_small(Serial&, const Problem& problem) {
    problem(HostTeam{});
}
template <class Problem>
void run_small(OpenMP&, const Problem& problem) {
    problem(HostTeam{});
}

}  // namespace stiefel
