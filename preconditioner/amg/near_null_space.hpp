#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/amg/aggregates.hpp"

namespace stiefel::amg {

/// Vectors that A takes to almost nothing, and that relaxation therefore leaves as they are: what coarse levels are
/// for. Unknown i belongs to node i / block.
struct NearNullSpace {
    Index block = 1;            ///< unknowns at each node
    Index modes = 1;            ///< vectors
    HostVector<double> values;  ///< n x modes, row after row

    const double* row(Index i) const { return values.data() + Size{i} * modes; }
    double* row(Index i) { return values.data() + Size{i} * modes; }
};

/// A constant for each of the unknowns of a node: 1 mode for scalar equations, `block` for systems.
NearNullSpace constants(Index n, Index block);

NearNullSpace copy_of(const NearNullSpace&);

/// T with the given modes in its range: orthonormal columns, `modes` for each aggregate, zero outside of it. A column
/// is zero where its mode depends on those before it there, as some must on aggregates of fewer unknowns than modes.
struct TentativeProlongation {
    Index height = 1;           ///< unknowns at a node
    HostVector<double> values;  ///< n x modes, row after row: of row i the columns of its aggregate
    NearNullSpace coarse;       ///< B_c with T B_c = B: triangular factors, an aggregate is a node of the next level

    const double* block(Index node) const { return values.data() + Size{node} * height * coarse.modes; }
};

/// By a QR factorisation of the modes on each aggregate (Vanek, Mandel and Brezina 1996).      4 n modes^2 flops
TentativeProlongation tentative_prolongation(OpenMP&, const Aggregates&, NearNullSpace);

}  // namespace stiefel::amg
