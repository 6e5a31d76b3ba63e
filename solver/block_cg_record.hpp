#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// Where iterations of block CG leave what they tell of the spectrum: three k x k matrices each, S' A S, its inverse xi
/// and zeta, of the first iterations of a solve. See block_ritz_extremes().
struct BlockCgRecord {
    double* first = nullptr;  ///< null: nothing is kept
    Index k = 0;

    static constexpr Size n_matrices = 3;
    static constexpr Size bytes = Size{4} << 20;

    static constexpr Size doubles(Index k) { return n_matrices * k * k; }
    /// Iterations that are kept: 42 of 64 columns, 682 of 16.
    static constexpr Size iterations(Index k) { return bytes / (doubles(k) * static_cast<Size>(sizeof(double))); }

    /// Whether the iteration that follows so many others is kept.
    constexpr bool keeps(Size iteration) const { return first != nullptr && iteration < iterations(k); }

    // Each row-major.
    constexpr double* curvature(Size iteration) const { return first + iteration * doubles(k); }
    constexpr double* xi(Size iteration) const { return curvature(iteration) + Size{k} * k; }
    constexpr double* zeta(Size iteration) const { return curvature(iteration) + 2 * Size{k} * k; }
};

}  // namespace stiefel
