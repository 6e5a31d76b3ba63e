#include "stiefel/solver/ritz_problems.hpp"

#include "stiefel/dense/small/run_on_block.cuh"

namespace stiefel {

void run_small(Cuda& backend, const OrthonormaliseProblem& problem) {
    cuda::run_on_block(backend, problem, "launching the orthonormalisation of a block");
}

void run_small(Cuda& backend, const RayleighRitzProblem& problem) {
    cuda::run_on_block(backend, problem, "launching Rayleigh and Ritz's small problem");
}

}  // namespace stiefel
