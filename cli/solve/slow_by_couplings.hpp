#pragma once

#include "stiefel/analysis/coupling_strength.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/solve/costs_on_device.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/strong_ones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace stiefel::cli {

/// A matrix that is seen to be indefinite is for CG to judge: couplings tell nothing then.
inline bool may_be_definite(const CouplingStrength& couplings) {
    return couplings.strongest < 1 && couplings.quotient_of_ones > 0;
}

/// Why iterations with the light one will be many, before there are any; empty where that cannot be told. Of 38
/// systems whose couplings are as strong in the mean six took 78 to 180, all others more than 220, and fsai 0.02 to
/// 0.38 of them but for one that neither solves; grids are below, and most masses
/// (docs/performance/time_to_solution.md).
inline std::string why_slow_by_couplings(const CouplingStrength& couplings) {
    constexpr double strong_mean = 0.375;
    if (!may_be_definite(couplings) || !(couplings.mean_strongest >= strong_mean)) return "";
    return fmt::format("the strongest coupling of an unknown is {:.2f} in the mean", couplings.mean_strongest);
}
/// By a condition number that is large for sure, of what couples less: rails and plates, as nos3 and rail_5177_negA,
/// which are not solved before iterations have been looked at for long. Plain grids (a quarter in the plane) are solved
/// as soon without; and what has no small eigenvalue but that of ones, such as graphs without bottlenecks, is taken for
/// slow as well, so not for what costs much.
inline std::string why_slow_by_ones(const CouplingStrength& couplings) {
    constexpr double slow_ones = 0.01, more_than_grids = 0.28;
    if (!may_be_definite(couplings) || !(couplings.mean_strongest >= more_than_grids)) return "";
    if (!(couplings.quotient_of_ones <= slow_ones)) return "";
    return fmt::format("the condition number with jacobi is {} at the least",
                       format_residual(1 / couplings.quotient_of_ones));
}
/// Masses of elements that are alike: entries that come to more than the diagonal, and no coupling that is strong.
/// Their condition number with jacobi is small on any mesh (Wathen 1987): of 14 such matrices all take 10 to 35
/// iterations to 1e-8; of eleven with stronger couplings, stiffness among them, 41 to 5,000.
inline bool is_even_mass(const CouplingStrength& couplings) {
    constexpr double strongest = 0.5;
    return couplings.quotient_of_ones >= 1 && couplings.strongest <= strongest;
}
/// What they count as where a format is chosen for their products, so that kernels are timed for less long than for the
/// usual 200 (rail_1357_E and rail_5177_E, 18 iterations: 60 and 120 us less). 30 would leave NSE_RE100_M in CSR, where
/// its 20 products lose what its conversion takes.
inline constexpr double products_of_even_mass = 70;

/// So many are expected then to a relative residual of `target`, by what is weighed against them: they go with the
/// powers of ten that it falls by. 0: as far as it gets.
inline double iterations_where_slow(double target) {
    constexpr double to_usual = 300, usual = 1e-8;
    return target > 0 ? to_usual * std::clamp(std::log(target) / std::log(usual), 0.0, 1.0) : to_usual;
}

/// Whether couplings may decide on a preconditioner before any iteration.
inline bool may_decide_at_once(const SolveOptions& options, bool on_host, Index n_rows, Size nnz, Index n_columns) {
    const StrongOnes strong = strong_ones(on_host, n_rows, nnz);
    if (options.preconditioner != PreconditionerWord::automatic || strong.amg) return false;
    if (columns_at_once(options, n_columns) != 1) return false;
    if (on_host) return strong.cholesky;
    return strong.fsai && is_taken_at_once(cost_of_fsai(n_rows, nnz), iterations_where_slow(options.rtol));
}

}  // namespace stiefel::cli
