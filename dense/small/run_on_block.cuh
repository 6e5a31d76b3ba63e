#pragma once

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/small/block_team.cuh"

namespace stiefel::cuda {

inline constexpr int block_team_threads = 256;

template <class Problem>
__global__ void __launch_bounds__(block_team_threads) small_problem_kernel(const Problem problem) {
    problem(BlockTeam{});
}

/// Enqueues the problem for one block.
template <class Problem>
void run_on_block(Cuda& backend, const Problem& problem, const char* doing) {
    small_problem_kernel<<<1, block_team_threads, 0, backend.stream()>>>(problem);
    check_cuda(cudaGetLastError(), doing);
}

}  // namespace stiefel::cuda
