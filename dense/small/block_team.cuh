#pragma once

#include "stiefel/dense/small/team.hpp"

namespace stiefel::cuda {

/// The team (see dense/small/team.hpp) of all threads of one block, which must be one-dimensional and whole warps.
/// (The host's compiler sees it too, inside algorithms that it may call with other teams.)
struct BlockTeam {
    static constexpr Index lanes = 1;

    /// Waits before as well: a thread that is ahead must not overwrite what the others still read.
    template <class F>
    __host__ __device__ void for_each(Index n, F&& f) const {
#ifdef __CUDA_ARCH__
        __syncthreads();
        for (Index i = static_cast<Index>(threadIdx.x); i < n; i += static_cast<Index>(blockDim.x)) f(i);
        __syncthreads();
#endif
    }

    template <class F>
    __host__ __device__ void for_each_pair(Index n, Index m, F&& f) const {
#ifdef __CUDA_ARCH__
        __syncthreads();
#endif
        for_each_pair_at_once(n, m, f);
    }

    /// A row is laid on as many threads as the next power of two, of which there must be so many: no thread divides to
    /// find its place.
    template <class F>
    __host__ __device__ void for_each_pair_at_once(Index n, Index m, F&& f) const {
#ifdef __CUDA_ARCH__
        const int log_width = m > 1 ? 32 - __clz(m - 1) : 0;
        const Index j = static_cast<Index>(threadIdx.x) & ((1 << log_width) - 1);
        if (j < m) {
            const Index rows = static_cast<Index>(blockDim.x) >> log_width;
            for (Index i = static_cast<Index>(threadIdx.x) >> log_width; i < n; i += rows) f(i, j);
        }
        __syncthreads();
#endif
    }

    /// Every warp finds it for itself, so that nobody waits, and every lane has the value of its own candidate ready.
    template <class Size, class Value>
    __host__ __device__ Largest largest([[maybe_unused]] Index n, [[maybe_unused]] Size&& size,
                                        [[maybe_unused]] Value&& value) const {
#ifdef __CUDA_ARCH__
        constexpr unsigned everyone = 0xffffffffu;
        constexpr unsigned places = 0xffu;
        unsigned own = 0;
        for (unsigned i = threadIdx.x % 32; i < static_cast<unsigned>(n); i += 32) {
            const unsigned bits = leading_bits(size(static_cast<Index>(i)));
            if (bits > (own & ~places)) own = bits | (places - i);
        }
        const double of_own = own != 0 ? value(static_cast<Index>(places - (own & places))) : 0;
        const unsigned most = __reduce_max_sync(everyone, own);
        if (most == 0) return {};
        const unsigned place = places - (most & places);
        return {static_cast<Index>(place), __shfl_sync(everyone, of_own, place % 32)};
#else
        return {};
#endif
    }

    __host__ __device__ static double inverse_root(double x) {
#ifdef __CUDA_ARCH__
        return rsqrt(x);
#else
        return x;
#endif
    }
};

}  // namespace stiefel::cuda
