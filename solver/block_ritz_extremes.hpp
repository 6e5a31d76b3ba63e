#pragma once

#include "stiefel/solver/ritz_extremes.hpp"

#include <optional>
#include <span>

namespace stiefel {

/// What a run of block CG has seen of the spectrum of M A; as ritz_extremes() of CG. With S_j = Q_j + S_j-1 zeta_j-1'
/// and A S_j xi_j = Q_j - Q_j+1 zeta_j the Galerkin matrix Q' A Q of the bases is L C L', C = blockdiag(S_j' A S_j) and
/// L block bidiagonal with I and -zeta_j (of one column: ritz_extremes' own factors; O'Leary 1980, section 5, has the
/// block Lanczos matrix). The ends of its spectrum come from some steps of CG with it and with its inverse
/// L^-1' blockdiag(xi_j) L^-1, which is known as well.
///   matrices   of iterations one after another: S' A S, xi and zeta, k x k each, as BlockCgRecord has them
/// Absent where nothing is kept or no number is finite. Ends are right to 3 %, within the spectrum but for 1e-5, as
/// they are computed in single precision. 12 to 60 passes over the matrices, 20 as a rule.
std::optional<RitzExtremes> block_ritz_extremes(Index k, std::span<const double> matrices);

}  // namespace stiefel
