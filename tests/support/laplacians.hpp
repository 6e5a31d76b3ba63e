#pragma once

#include "support/matrices.hpp"

#include <utility>
#include <vector>

namespace stiefel::test {

// Singular matrices, with constants as null space.

/// Rows of a matrix that is being put together.
using LaplacianRows = std::vector<std::vector<std::pair<Index, double>>>;

/// A path of n nodes.
template <class T = double>
HostCsr<T> path_laplacian(Index n) {
    std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
        auto& row = rows[static_cast<std::size_t>(i)];
        if (i > 0) row.emplace_back(i - 1, T{-1});
        row.emplace_back(i, i == 0 || i == n - 1 ? T{1} : T{2});
        if (i < n - 1) row.emplace_back(i + 1, T{-1});
    }
    return csr_from_rows<T>(n, rows);
}

/// A ring of n nodes behind the rows that are there, coupled to none of them.
inline void append_ring(Index n, double factor, LaplacianRows& rows) {
    const auto first = static_cast<Index>(rows.size());
    for (Index i = 0; i < n; ++i) {
        const Index before = (i + n - 1) % n, after = (i + 1) % n;
        auto& row = rows.emplace_back();
        for (Index j = 0; j < n; ++j) {
            if (j == i) row.emplace_back(first + j, 2 * factor);
            if (j == before || j == after) row.emplace_back(first + j, -factor);
        }
    }
}

}  // namespace stiefel::test
