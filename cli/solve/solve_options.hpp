#pragma once

#include "stiefel/cli/backend_options.hpp"
#include "stiefel/cli/method_words.hpp"
#include "stiefel/cli/output_options.hpp"
#include "stiefel/cli/preconditioner_words.hpp"
#include "stiefel/cli/solve/amg_options.hpp"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace stiefel::cli {

enum class SolverWord { cg, block_cg, both };

inline constexpr std::array solver_choices{Choice<SolverWord>{"cg", SolverWord::cg},
                                           Choice<SolverWord>{"block-cg", SolverWord::block_cg},
                                           Choice<SolverWord>{"both", SolverWord::both}};

/// Everything that `stiefel solve` can be told.
struct SolveOptions : BackendWords, OutputWords {
    std::string matrix;
    bool cache = false;
    std::string rhs = "ones";  ///< "ones", "random", "random:K", "consistent", "archive" or a path
    std::string guess;
    double rtol = 1e-8;
    double atol = 0;
    Size max_iterations = -1;                                     ///< -1: default_max_iterations
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds, of all solves together
    SolverWord solver = SolverWord::cg;
    Size block = 16;  ///< right-hand sides that block CG solves for together
    PreconditionerWord preconditioner = PreconditionerWord::automatic;
    AmgWords amg;
    Precision precision = Precision::double_;
    std::string_view format = "auto";  ///< or one of AllFormats::names
    std::string kernel = "auto";

    bool rhs_is_random() const { return rhs == "random" || rhs.starts_with("random:"); }
    bool rhs_is_file() const { return rhs != "ones" && !rhs_is_random() && rhs != "consistent" && rhs != "archive"; }
};

/// Declares the options of `solve` on its command.
void add_solve_options(CLI::App& command, SolveOptions& options);

/// The number of columns that --rhs random[:K] asks for. Throws UsageError.
Index random_columns(const std::string& rhs);

/// What can be found wrong before anything is read: inputs and outputs that get in each other's way, outputs that
/// cannot be written. Throws UsageError.
void check_solve_options(const SolveOptions& options);

}  // namespace stiefel::cli
