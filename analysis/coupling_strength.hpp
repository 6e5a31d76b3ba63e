#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// What a pass over a symmetric A with a positive diagonal D tells of S = D^-1/2 A D^-1/2, the matrix that conjugate
/// gradients with Jacobi's preconditioner see.
struct CouplingStrength {
    double strongest = 0;  ///< max |s_ij|, i != j; where A is positive definite below 1
    /// The mean over rows of max_j |s_ij|, j != i: how much of what makes iterations many lies between neighbours,
    /// where a sparse inverse finds it. 1 / (2 d) on a grid in d dimensions, more where couplings are uneven.
    double mean_strongest = 0;
    /// The sum of A's entries over that of its diagonal: a Rayleigh quotient of S, of D^1/2 times ones, so that its
    /// smallest eigenvalue is no larger; and as they are 1 in the mean, its condition number no less than one over
    /// this.
    double quotient_of_ones = 1;
};

/// Of an A that has a positive diagonal. Sums in double, the same with any number of threads; NaN where entries are, or
/// left out of maxima. n words; as long as one or two products with A.
template <class T>
CouplingStrength coupling_strength(const HostCsr<T>& a, int threads);

/// Of some rows, while it is being found.
struct PartialCouplings {
    double strongest = 0, sum_of_strongest = 0;
    double sum = 0, trace = 0;  ///< of entries

    void merge(const PartialCouplings& other);
    /// Of n rows, one or more, in all.
    CouplingStrength of_rows(Index n) const;
};

}  // namespace stiefel
