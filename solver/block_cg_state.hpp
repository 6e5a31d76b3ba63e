#pragma once

#include "stiefel/solver/block_cg_record.hpp"
#include "stiefel/solver/cg_state.hpp"

namespace stiefel {

/// One right-hand side of a block CG run, in the backend's memory.
struct BlockCgColumn {
    double rhs_norm = 0;
    double target2 = 0;    ///< residual2 <= target2: the column has converged and its x stays as it is
    double limit2 = 0;     ///< residual2 > limit2 ends the run: see cg_growth_limit
    double residual2 = 0;  ///< |r|^2 by recurrence
    double relative2 = 0;  ///< (|r| / |b|)^2 if it ran in the last iteration, else 0
    Size iteration = 0;    ///< in which it converged
    StopReason reason = StopReason::running;
    StopReason verdict = StopReason::running;  ///< why the whole run must end, going by this column
};

/// The small matrices of a block CG run with k columns, all k x k, row-major, in the backend's memory. Q is the
/// orthonormal basis of the residuals R = Q sigma, never stored; directions that have become dependent are columns of
/// zeros. W = Q zeta is stored instead, so Q = W z.
struct BlockCgMatrices {
    Index k = 0;
    double* curvature = nullptr;  ///< S' A S
    double* xi = nullptr;         ///< its inverse
    double* step = nullptr;       ///< xi sigma: what S adds to X; 0 for columns that have converged
    double* gram = nullptr;       ///< W' W; W' M W with a preconditioner that is not pointwise
    double* weighted = nullptr;   ///< what R' R is in terms of W: gram itself without preconditioner
    double* zeta = nullptr;
    double* z = nullptr;
    double* sigma = nullptr;
    double* factor = nullptr;       ///< room for factorisations
    double* product = nullptr;      ///< room for products
    double* rest = nullptr;         ///< k: room for diagonals
    Index* n_directions = nullptr;  ///< 1: columns of Q that are not zero
    BlockCgColumn* columns = nullptr;
    BlockCgRecord kept = {};  ///< where iterations leave curvature, xi and zeta, if anywhere

    static constexpr Size n_matrices = 10;
    static constexpr Size doubles(Index k) { return n_matrices * k * k + k; }
};

}  // namespace stiefel
