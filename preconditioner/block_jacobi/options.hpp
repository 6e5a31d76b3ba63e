#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

namespace stiefel::block_jacobi {

/// Which rows make a block.
struct Options {
    Size size = 0;  ///< so many rows one behind the other, the last block with what is left; 0: blocks are found

    static constexpr Size most_size = 32;
    static constexpr Index most_found = 12;  ///< rows of a block that is found
};

/// Throws InvalidArgument.
inline void check(const Options& options) {
    require(options.size >= 0 && options.size <= Options::most_size,
            "block-jacobi: blocks must have 1 to 32 rows, or 0 to be found");
}

}  // namespace stiefel::block_jacobi
