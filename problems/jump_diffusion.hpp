#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>

namespace stiefel {

struct JumpDiffusionOptions {
    double contrast = 1e4;   ///< permeability of the one material; that of the other is 1
    Index brick = 4;         ///< edge of a brick of one material, in cells
    std::uint64_t seed = 1;  ///< decides, with probability 1/2, which material a brick is of
};

/// -div(k grad u) on a box of nx x ny x nz unit cells with zero Dirichlet conditions, cell-centred finite volumes: the
/// flux between two cells has the harmonic mean of their k, that to the boundary, half a cell away, 2 k. The material
/// jumps at random from brick to brick, so the condition grows with the contrast; most of that growth is the
/// diagonal's scale, which a Jacobi preconditioner removes. Symmetric positive definite, weakly diagonally dominant.
/// Throws InvalidArgument if a size or the brick is less than 1, the contrast is not positive, or the cells exceed an
/// Index.
template <class T>
HostCsr<T> jump_diffusion3d(OpenMP&, Index nx, Index ny, Index nz, const JumpDiffusionOptions& options = {});

/// The same, of any rows: more in all than an Index counts.
RowSource jump_diffusion3d_source(Index nx, Index ny, Index nz, const JumpDiffusionOptions& options = {});

}  // namespace stiefel
