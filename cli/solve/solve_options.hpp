#pragma once

#include "stiefel/cli/computation_options.hpp"
#include "stiefel/cli/solve/amg_options.hpp"
#include "stiefel/cli/solve/reordering.hpp"
#include "stiefel/cli/solve/scaling.hpp"
#include "stiefel/preconditioner/block_jacobi/options.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/preconditioner/ssor/options.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

namespace stiefel::cli {

enum class SolverWord { cg, block_cg, both };

inline constexpr std::array solver_choices{Choice<SolverWord>{"cg", SolverWord::cg},
                                           Choice<SolverWord>{"block-cg", SolverWord::block_cg},
                                           Choice<SolverWord>{"both", SolverWord::both}};

/// Everything that `stiefel solve` can be told.
struct SolveOptions : ComputationWords {
    std::string rhs = "ones";  ///< "ones", "random", "random:K", "consistent", "archive" or a path
    std::string guess;
    double atol = 0;
    SolverWord solver = SolverWord::cg;
    Size block = 16;  ///< right-hand sides that block CG solves for together
    AmgWords amg;
    block_jacobi::Options block_jacobi;
    fsai::Options fsai;
    cholesky::IncompleteOptions ic;
    ssor::Options ssor;
    ReorderWord reorder = ReorderWord::automatic;
    ScaleWord scale = ScaleWord::none;
    /// Of a program of one's own: told of every residual with its place in the history, says whether the solve goes on.
    /// Where another preconditioner goes on, the last residual is told twice.
    std::function<bool(Size place, double relative_residual)> monitor = {};

    bool rhs_is_random() const { return rhs == "random" || rhs.starts_with("random:"); }
    bool rhs_is_file() const { return rhs != "ones" && !rhs_is_random() && rhs != "consistent" && rhs != "archive"; }
};

/// Columns of the panels that the matrix will be multiplied with, of k right-hand sides.
inline Index columns_at_once(const SolveOptions& options, Index k) {
    return options.solver == SolverWord::cg ? 1 : std::min(static_cast<Index>(options.block), k);
}

/// Declares the options of `solve` on its command.
void add_solve_options(CLI::App& command, SolveOptions& options);

/// The number of columns that --rhs random[:K] asks for. Throws UsageError.
Index random_columns(const std::string& rhs);

/// Words that contradict each other, or are out of range. Throws UsageError.
void check_solve_words(const SolveOptions& options);

/// What can be found wrong before anything is read: the words, inputs and outputs that get in each other's way, outputs
/// that cannot be written. Throws UsageError.
void check_solve_options(const SolveOptions& options);

}  // namespace stiefel::cli
