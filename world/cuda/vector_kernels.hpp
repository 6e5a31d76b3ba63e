#pragma once

#include "stiefel/core/cuda.hpp"

#include <cstddef>

namespace stiefel::cuda {

// The kernels of VectorGather.

/// Where rows of a vector are written to in the memory of each GPU: numbers of rounds, by who has written, and then two
/// rounds' elements of all.
struct VectorBoxes {
    static constexpr int most = 32;
    static constexpr Size head_bytes = most * static_cast<Size>(sizeof(unsigned));

    std::byte* of[most] = {};
    int rank = 0, size = 1;
    Size begin = 0, end = 0, all = 0;  ///< elements of this rank, and of all
    Size of_round = 0;                 ///< places of a round
    unsigned* last_round = nullptr;    ///< of this GPU, as the tickets of blocks that have written and taken
    unsigned* written = nullptr;
    unsigned* taken = nullptr;
};

/// own, into the memory of all others, and then the number of the round.
template <class T>
void write_rows(Cuda& backend, const VectorBoxes& boxes, const T* own);

/// Waits for the numbers of all others; whole: own, and what they have written. Ends the round.
template <class T>
void take_rows(Cuda& backend, const VectorBoxes& boxes, const T* own, T* whole);

/// whole: own from `begin` up to `end`, zeros elsewhere.
template <class T>
void place_rows(Cuda& backend, Size n, Size begin, Size end, const T* own, T* whole);

template <class T>
void copy_rows(Cuda& backend, Size n, const T* from, T* to);

}  // namespace stiefel::cuda
