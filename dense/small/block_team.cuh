#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cuda {

/// The team (see dense/small/team.hpp) of all threads of one block, which must be one-dimensional.
struct BlockTeam {
    static constexpr Index lanes = 1;

    /// Waits before as well: a thread that is ahead must not overwrite what the others still read.
    /// (The host's compiler sees it too, inside algorithms that it may call with other teams.)
    template <class F>
    __host__ __device__ void for_each(Index n, F&& f) const {
#ifdef __CUDA_ARCH__
        __syncthreads();
        for (Index i = static_cast<Index>(threadIdx.x); i < n; i += static_cast<Index>(blockDim.x)) f(i);
        __syncthreads();
#endif
    }
};

}  // namespace stiefel::cuda
