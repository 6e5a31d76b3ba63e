#pragma once

#include "stiefel/analysis/diagonal_entries.hpp"

namespace stiefel {

/// The diagonal of a square matrix, and what it says of the spectrum. Sums are taken in double.
struct DiagonalInfo : DiagonalEntries {
    RowTally not_strictly_dominant;  ///< rows with |a_ii| <= sum_{j != i} |a_ij|
    RowTally not_dominant;           ///< rows with |a_ii| <  sum_{j != i} |a_ij|
    double spectrum_lower = 0;       ///< min_i a_ii - sum_{j != i} |a_ij|: all eigenvalues have a real part of at least
    double spectrum_upper = 0;       ///< max_i a_ii + sum_{j != i} |a_ij|: and of at most these two (Gershgorin 1931)
};

/// One pass over A, in parallel. All zeros for a 0 x 0 matrix.
/// Throws InvalidArgument if A is not square.
template <class T>
DiagonalInfo analyse_diagonal(OpenMP&, const HostCsr<T>& a);

}  // namespace stiefel
