#pragma once

#include "stiefel/solver/block_cg_storage.hpp"
#include "support/columns.hpp"

#include <cmath>

namespace stiefel::test {

/// Panels and small matrices as they might stand in the middle of a block CG run.
template <class T>
struct BlockCgOperands {
    HostMultivector<T> w, s, as, x;
    HostVector<double> doubles;

    BlockCgOperands(Index n, Index k)
        : w(random_panel<T>(n, k, 1)),
          s(random_panel<T>(n, k, 2)),
          as(random_panel<T>(n, k, 3)),
          x(random_panel<T>(n, k, 4)),
          doubles(random_vector<double>(BlockCgMatrices::doubles(k), 5)) {}
};

/// A small matrix of a storage, on the host.
template <class B>
HostVector<double> small_matrix(B& backend, BlockCgStorage<B>& storage, const double* which, Index k) {
    HostVector<double> all(storage.doubles().size());
    download(backend, storage.doubles(), all);
    HostVector<double> matrix(Size{k} * k);
    std::copy_n(all.data() + (which - storage.doubles().data()), matrix.size(), matrix.data());
    return matrix;
}

}  // namespace stiefel::test
