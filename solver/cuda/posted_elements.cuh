#pragma once

#include "stiefel/core/cuda/letter.cuh"
#include "stiefel/core/types.hpp"

namespace stiefel {

// Elements of vectors from one block of a grid that runs at once to others, in two ways. An element may be posted anew
// once all blocks are known to have heard it, as after a sum that they bring to after that.

/// Each element is a letter sealed with the round of GridExchange that it belongs to: nothing is fenced, and who needs
/// some waits for these alone.
struct SealedElements {
    Letter* posted;  ///< zero at the start

    static constexpr bool are_published = false;

    template <class T>
    __device__ void post(Index place, T value, unsigned round) const {
        stiefel::post(posted + place, Letter::sealed(static_cast<double>(value), round));
    }

    /// take(k, element place(k) of what is posted) for all k < n, each by one of `threads` threads of a block, of which
    /// this is the thread-th, as soon as they are there.
    template <class Place, class Take>
    __device__ void hear(int thread, int threads, unsigned round, Index n, Place&& place, Take&& take) const {
        constexpr Index at_once = 4;  // looks of a thread on their way together
        for (Index begin = thread; begin < n; begin += at_once * threads) {
            const Letter* from[at_once];
#pragma unroll
            for (Index j = 0; j < at_once; ++j) from[j] = posted + place(min(begin + j * threads, n - 1));
            Letter letters[at_once];
            bool is_missing = true;
            while (is_missing) {
                is_missing = false;
#pragma unroll
                for (Index j = 0; j < at_once; ++j) letters[j] = look_into(from[j]);
#pragma unroll
                for (Index j = 0; j < at_once; ++j) is_missing |= !letters[j].has_seal(round);
            }
#pragma unroll
            for (Index j = 0; j < at_once; ++j) {
                if (begin + j * threads < n) take(begin + j * threads, letters[j].value());
            }
        }
    }
};

/// Elements as they are, half the bytes of letters or less, which a sum that publishes makes known: faster where each
/// block has many.
template <class T>
struct PlainElements {
    T* posted;

    static constexpr bool are_published = true;

    __device__ void post(Index place, T value, unsigned) const { posted[place] = value; }

    template <class Place, class Take>
    __device__ void hear(int thread, int threads, unsigned, Index n, Place&& place, Take&& take) const {
        for (Index k = thread; k < n; k += threads) take(k, __ldcg(posted + place(k)));
    }
};

}  // namespace stiefel
