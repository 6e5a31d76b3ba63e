#pragma once

#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel::triangular {

/// Numbers 0, 1, 2 ... given out to warps as they ask. Who has one knows that all smaller ones were given to warps that
/// run. So of warps that wait for the work of smaller numbers alone the one with the least can go on, in whatever order
/// blocks start, and however many of them run at a time beside the kernels of others.
///
/// Each warp asks until the answer is not below n: n + warps answers in all, after which the count is 0 again.
class Turns {
public:
    __device__ Turns(unsigned* taken, unsigned n) : taken_(taken), last_(n + gridDim.x * (blockDim.x / warp_size) - 1) {
        ask();
    }

    /// The next number, in all lanes; the one after it is asked for at once, so that it is there when it is wanted.
    /// Not to be called after an answer that is not below n.
    __device__ unsigned next(unsigned n) {
        const unsigned number = __shfl_sync(all_lanes, asked_, 0);
        if (number < n) ask();
        return number;
    }

private:
    __device__ void ask() {
        if (threadIdx.x % warp_size == 0) asked_ = atomicInc(taken_, last_);
    }

    unsigned* taken_;
    unsigned last_;
    unsigned asked_ = 0;  // in lane 0
};

}  // namespace stiefel::triangular
