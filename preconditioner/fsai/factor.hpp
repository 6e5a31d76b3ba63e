#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::fsai {

/// S = D^-1/2 A D^-1/2 with D the diagonal of A.
struct ScaledSystem {
    HostVector<double> inverse_roots;  ///< of D
    HostCsr<double> s;
};

/// Throws InvalidArgument naming the row where a diagonal entry is not positive and finite.      12 bytes a nonzero
template <class T>
ScaledSystem scaled_system(OpenMP&, const HostCsr<T>& a);

/// G with G S G' ~ I, diag(G S G') = 1.
struct Factor {
    HostCsr<double> g;
    Index jacobi_rows = 0;  ///< whose local system is not positive definite: they have a diagonal entry alone
};

/// G row by row (Kolotilina and Yeremin 1993): of a row with columns J, i the last, the solution of S_JJ y = e_i over
/// sqrt(y_i), from a dense Cholesky factorisation. Entries that are small beside the diagonal's are dropped after that,
/// and what is left of the row scaled. least_pivot: below it a local system counts as not positive definite. The bits
/// do not depend on the number of threads. Throws OutOfMemory before G is computed where it has no room.
Factor factor(OpenMP&, const HostCsr<double>& s, const Options&, double least_pivot);

}  // namespace stiefel::fsai
