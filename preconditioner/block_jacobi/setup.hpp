#pragma once

#include "stiefel/preconditioner/block_jacobi/block_jacobi.hpp"
#include "stiefel/preconditioner/block_jacobi/blocks.hpp"

namespace stiefel::block_jacobi {

/// Blocks that are given, or found by what links() says of the rows.
template <class Links>
Blocks chosen_blocks(Index n, const Options& options, Links&& links) {
    if (options.size > 0) return given_blocks(n, static_cast<Index>(options.size));
    return found_blocks(links(), Options::most_found);
}

/// What there is to tell of them.
inline PreconditionerDetails::Blocks told(const Blocks& blocks, const Options& options, Index jacobi_blocks) {
    return {.are_found = options.size == 0,
            .number = blocks.number(),
            .rows = blocks.start[blocks.number()],
            .largest = blocks.largest(),
            .jacobi_blocks = jacobi_blocks};
}

}  // namespace stiefel::block_jacobi
