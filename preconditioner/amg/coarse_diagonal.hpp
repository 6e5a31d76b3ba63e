#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/preconditioner/amg/block_matrix.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"

#include <cstdint>

namespace stiefel::amg {

/// For a column p of a prolongation p'A p is negative, far beyond rounding: A is not positive definite.
class NotDefinite : public InvalidArgument {
public:
    using InvalidArgument::InvalidArgument;
};

/// The diagonal of a coarse matrix as it is worked with, and the unknowns that are absent from it: those with a column
/// of zeros in P (an aggregate has fewer unknowns than modes), and those that A takes to nothing but rounding (a
/// floating part of a singular matrix that has become one aggregate). There is nothing to solve for: their diagonal
/// counts as 1, their rows and columns are to be dropped.
struct CoarseDiagonal {
    HostVector<double> values;
    HostVector<std::uint8_t> absent;
    bool any_absent = false;
};

/// Judged by p'D p, D the diagonal of A. Throws NotDefinite, and InvalidArgument where a diagonal is not finite.
CoarseDiagonal coarse_diagonal(OpenMP&, const HostCsr<double>& coarse, const HostCsr<double>& p,
                               const HostVector<double>& diagonal);

/// Rows and columns of absent unknowns become zeros.
void drop_absent(const CoarseDiagonal&, HostCsr<double>& coarse);
void drop_absent(const CoarseDiagonal&, BlockMatrix& coarse);

/// The next level, with its diagonal and without what is absent. diagonal: of A.
CoarserLevel settled_level(OpenMP&, SharedTransfer<HostMemory> transfer, HostCsr<double> coarse,
                           const HostVector<double>& diagonal);

}  // namespace stiefel::amg
