#pragma once

#include "stiefel/core/cuda.hpp"

#include <limits>
#include <string>

namespace stiefel::cuda {

inline Size tiles_across(Size n, Size tile) {
    return (n + tile - 1) / tile;
}

/// Square tiles that cover n_rows x n_cols: a block each. Throws InvalidArgument beyond what a launch can count.
inline unsigned count_tiles(const char* function, Index n_rows, Index n_cols, Index tile) {
    const Size count = tiles_across(n_rows, tile) * tiles_across(n_cols, tile);
    if (count > std::numeric_limits<Index>::max()) {
        throw InvalidArgument(std::string(function) + ": the matrix has more than 2^31 - 1 tiles of " +
                              std::to_string(tile) + " x " + std::to_string(tile));
    }
    return static_cast<unsigned>(count);
}

/// The tile of this block, row after row.
struct TileOf {
    Size row, col;

    __device__ TileOf(Size n_cols, int tile) {
        const auto across = static_cast<unsigned>((n_cols + tile - 1) / tile);
        row = blockIdx.x / across;
        col = blockIdx.x % across;
    }
};

}  // namespace stiefel::cuda
