#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/preconditioner/cholesky/factor.hpp"

namespace stiefel::cholesky {

/// Z = P' L^-T L^-1 P R for panels of up to so many columns: up the tree and down again, the subtrees of the factor's
/// schedule on threads of their own. A column's bits depend neither on the number of threads nor on other columns.
/// Reads L twice a panel. Holds n and all rows below supernodes for each column.
template <class T>
class TreeSolve {
public:
    TreeSolve(const Factor<T>& factor, Index columns);

    Index columns() const { return columns_; }
    Size bytes() const { return x_.bytes() + passed_.bytes() + start_.bytes(); }

    void run(const Factor<T>& factor, MatrixView<const T, HostMemory> r, MatrixView<T, HostMemory> z);

private:
    class Pass;

    Index columns_;
    HostVector<Size> start_;  // of each supernode's rows below, in whole registers
    HostVector<T> x_;         // right-hand sides and solutions in the order of the factor, column after column
    HostVector<T> passed_;    // up by each supernode
};

}  // namespace stiefel::cholesky
