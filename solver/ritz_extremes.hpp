#pragma once

#include "stiefel/solver/cg_coefficients.hpp"

#include <optional>
#include <span>

namespace stiefel {

/// The outermost Ritz values of M A: the largest eigenvalue is at least, the smallest at most so large.
struct RitzExtremes {
    double smallest = 0;
    double largest = 0;

    /// A lower bound of the condition number of M^1/2 A M^1/2, for M A is similar to it.
    double condition() const { return largest / smallest; }
};

/// What a run of CG has seen of the spectrum of M A. Its coefficients are the factors L D L' of the tridiagonal matrix
/// T that Lanczos makes from M^1/2 r (Golub and Van Loan, Matrix Computations, 4th ed., 11.3; Meurant 2006): d_j = 1 /
/// alpha_j, l_j^2 = beta_j. Where rounding has cost orthogonality, T is that of a larger matrix whose eigenvalues lie
/// close to those of M A (Greenbaum 1989): inner ones come several times over, the outermost are right. Absent where
/// there is no coefficient that is a positive number; those behind the first that is not are left out. Right to 1 %,
/// the smallest too, whatever the condition up to 1e60, as pivots are made from L and D and not from T (Dhillon and
/// Parlett 2004); rather too close to each other than too far apart. Some 50 ns a coefficient.
std::optional<RitzExtremes> ritz_extremes(std::span<const CgCoefficients> coefficients);

/// Both together, for runs with the same M A.
std::optional<RitzExtremes> joined(const std::optional<RitzExtremes>& a, const std::optional<RitzExtremes>& b);

}  // namespace stiefel
