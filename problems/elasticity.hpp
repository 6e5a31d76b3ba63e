#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <array>

namespace stiefel {

struct ElasticMaterial {
    double young = 1.0;    ///< Young's modulus E > 0; scales the matrix
    double poisson = 0.3;  ///< Poisson's ratio, -1 < nu < 1/2; the condition grows without bound towards 1/2
};

/// Row and column 3 a + c: component c of node a; node a = 4 z + 2 y + x is the corner (x, y, z) of the unit cube.
using BrickStiffness = std::array<std::array<double, 24>, 24>;

/// Stiffness matrix of a trilinear (Q1) unit cube of isotropic linear elastic material, integrated exactly; exactly
/// symmetric, its null space the six rigid-body motions (Hughes 2000, chapter 3).
BrickStiffness brick_stiffness(const ElasticMaterial& material);

/// Linear elasticity of a beam of nx x ny x nz unit cubes, clamped at its face x = 0: displacements (u, v, w) of the
/// nodes that are free, interleaved; component c of the node at (x, y, z), x = 1..nx, y = 0..ny, z = 0..nz, is row
/// 3 ((z (ny + 1) + y) nx + x - 1) + c. Up to 81 entries a row; all 3 x 3 entries of coupled nodes are stored, zeros
/// included. Symmetric positive definite, not diagonally dominant; the condition grows with the square of the beam's
/// slenderness and resolution.
/// Throws InvalidArgument if a size is less than 1, the material is out of its range, or the rows exceed an Index.
template <class T>
HostCsr<T> elasticity3d(OpenMP&, Index nx, Index ny, Index nz, const ElasticMaterial& material = {});

/// The same, of any rows: more in all than an Index counts.
RowSource elasticity3d_source(Index nx, Index ny, Index nz, const ElasticMaterial& material = {});

/// Where its free nodes are: x of all of them, then y, then z.
HostVector<double> elasticity3d_nodes(Index nx, Index ny, Index nz);

}  // namespace stiefel
