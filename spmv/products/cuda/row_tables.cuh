#pragma once

#include "stiefel/core/cuda/reduce.cuh"

#include <type_traits>

namespace stiefel::cuda {

// Where a row of a product is added up. find() gives the place of a column, which several threads may look for at once;
// `is_new` tells the one that made it, and a place of -1 that there is no room. What is added to a place is up to the
// caller, so that sums are taken in a fixed order.

inline constexpr Index no_column = -1;

/// Open addressing in `size` places, a power of two; all keys are no_column at first.
struct HashPlaces {
    Index* keys;
    int size;

    __device__ int find(Index col, bool& is_new) const {
        // The high bits of a multiple by the golden ratio (Knuth 1973, 6.4): columns of a row that lie evenly apart, as
        // on a grid, get places apart, whatever the distance. Of low bits nothing is left where that is a power of two.
        int place = static_cast<int>(static_cast<unsigned>(col) * 2654435769u >> (__clz(size) + 1));
        is_new = false;
        for (int probe = 0; probe < size; ++probe) {
            Index key = *static_cast<volatile Index*>(keys + place);
            if (key == no_column) {
                key = atomicCAS(keys + place, no_column, col);
                is_new = key == no_column;
            }
            if (is_new || key == col) return place;
            place = (place + 1) & (size - 1);
        }
        return -1;
    }

    /// By `n` threads, of which this is number `own`.
    __device__ void clear(int own, int n) const {
        for (int i = own; i < size; i += n) keys[i] = no_column;
    }
};

/// A bit for every column.
struct DensePlaces {
    unsigned* bits;
    Index n_cols;

    constexpr Index n_words() const { return n_cols / warp_size + 1; }

    __device__ Index find(Index col, bool& is_new) const {
        const unsigned bit = 1u << (col % warp_size);
        unsigned* const word = bits + col / warp_size;
        is_new = (*static_cast<volatile unsigned*>(word) & bit) == 0 && (atomicOr(word, bit) & bit) == 0;
        return col;
    }

    __device__ void clear(int own, int n) const {
        for (Index i = own; i < n_words(); i += n) bits[i] = 0;
    }
};

/// What another lane of the warp brings; types that are more than a number have their own.
template <class T>
requires std::is_arithmetic_v<T> __device__ T of_lane(T value, int lane) {
    return __shfl_sync(all_lanes, value, lane);
}

/// *sum += value for all lanes of a warp, those of one key one after the other. Lanes without a value bring key -1.
template <class T>
__device__ void add_in_order(Index key, T value, T* sum) {
    const auto lane = static_cast<int>(threadIdx.x) % warp_size;
    unsigned rest = __match_any_sync(all_lanes, key);
    const bool adds = key >= 0 && __ffs(static_cast<int>(rest)) - 1 == lane;
    if (key < 0) rest = 0;
    T total = adds ? *sum : T{};
    while (__any_sync(all_lanes, rest != 0)) {
        const int from = rest != 0 ? __ffs(static_cast<int>(rest)) - 1 : lane;
        const T other = of_lane(value, from);
        if (rest != 0) total += other;
        rest &= rest - 1;
    }
    if (adds) *sum = total;
    __syncwarp();
}

}  // namespace stiefel::cuda
