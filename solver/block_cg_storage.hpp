#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/solver/block_cg_state.hpp"

namespace stiefel {

/// The memory of BlockCgMatrices.
template <class B>
class BlockCgStorage {
public:
    BlockCgStorage(B& backend, Index k)
        : k_(k),
          doubles_(make_vector<double>(backend, BlockCgMatrices::doubles(k))),
          n_directions_(make_vector<Index>(backend, 1)),
          columns_(make_vector<BlockCgColumn>(backend, k)) {}

    /// `weighted` needs room of its own only with a preconditioner. kept: see BlockCgMatrices.
    BlockCgMatrices matrices(bool preconditioned, BlockCgRecord kept = {}) {
        double* const first = doubles_.data();
        const Size size = Size{k_} * k_;
        const auto matrix = [&](Size i) { return first + i * size; };
        return {.k = k_,
                .curvature = matrix(0),
                .xi = matrix(1),
                .step = matrix(2),
                .gram = matrix(3),
                .weighted = matrix(preconditioned ? 4 : 3),
                .zeta = matrix(5),
                .z = matrix(6),
                .sigma = matrix(7),
                .factor = matrix(8),
                .product = matrix(9),
                .rest = matrix(10),
                .n_directions = n_directions_.data(),
                .columns = columns_.data(),
                .kept = kept};
    }
    VectorOf<B, double>& doubles() { return doubles_; }
    VectorOf<B, BlockCgColumn>& columns() { return columns_; }

private:
    Index k_;
    VectorOf<B, double> doubles_;
    VectorOf<B, Index> n_directions_;
    VectorOf<B, BlockCgColumn> columns_;
};

}  // namespace stiefel
