#pragma once

namespace stiefel {

/// Which eigenpairs are wanted. The first two go by the eigenvalues' order on the real line, so they mean the same for
/// indefinite matrices.
enum class EigenEnd {
    smallest,   ///< the algebraically smallest, in ascending order
    largest,    ///< the algebraically largest, in descending order
    magnitude,  ///< the largest in absolute value, in descending order; power and subspace iteration only
};

}  // namespace stiefel
