#include "stiefel/cli/eigen/eigen_options.hpp"

#include "stiefel/cli/inputs.hpp"
#include "stiefel/solver/eigen_result.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <limits>

namespace stiefel::cli {

namespace {

constexpr Size most = std::numeric_limits<Size>::max();

void add_pair_options(CLI::App& command, EigenCommandOptions& o) {
    const std::string group = "Eigenpairs";
    add_whole(command, "-k,--count", o.count, 1, max_eigenpairs, {"K", group, "how many, at most 64 [6]"});
    add_choice<EigenEnd>(command, "--which", o.which, which_choices,
                         {"", group,
                          "smallest and largest go by the order of the real line, so they suit matrices that are not "
                          "definite; magnitude is furthest from 0 [smallest]"});
    add_rtol(command, "--rtol,--tol", o.rtol,
             {"R", group, "a pair has converged when |A v - lambda v| <= R |lambda|, computed afresh [1e-8]"});
    add_budget_options(command, group, "lobpcg 2000, else 10000",
                       "the iteration has taken so long; the vectors are written", o);
}

void add_method_options(CLI::App& command, EigenCommandOptions& o) {
    const std::string group = "Method";
    add_choice<EigenMethod>(command, "--method", o.method, eigen_method_choices,
                            {"", group, "subspace has a Chebyshev filter; power finds one pair [lobpcg]"});
    add_choice<PreconditionerWord>(command, "--preconditioner", o.preconditioner, eigen_preconditioner_choices(),
                                   {"", group, eigen_preconditioner_help()});
    add_whole(command, "--degree", o.degree, 0, 1000,
              {"D", group, "of the Chebyshev polynomial; 0 makes subspace plain [12]"});
    add_whole(command, "--guards", o.guards, 0, max_eigenpairs,
              {"G", group, "vectors iterated beside those asked for [count / 4, at least 2]"});
    add_whole(command, "--seed", o.seed, 0, most, {"S", group, "of the random start vectors [1]"});
}

void check_method(const EigenCommandOptions& o) {
    if (o.method == EigenMethod::power && o.count != 1) {
        throw UsageError("--method power finds one pair: add --count 1, or take --method subspace");
    }
    using Word = PreconditionerWord;
    const bool pointwise = o.preconditioner == Word::none || o.preconditioner == Word::jacobi;
    if (o.method != EigenMethod::lobpcg && o.preconditioner != Word::automatic && o.preconditioner != Word::none) {
        throw UsageError("--preconditioner: only --method lobpcg takes one");
    }
    const bool inverts =
        !pointwise && o.preconditioner != Word::automatic && o.preconditioner != Word::shifted_chebyshev;
    if (inverts && o.which != EigenEnd::smallest) {
        throw UsageError(fmt::format(
            "--preconditioner {}: it leads to the smallest pairs, as the inverse of A would; with --which {} take "
            "shifted-chebyshev",
            word_of<Word>(o.preconditioner, eigen_preconditioner_choices()),
            word_of<EigenEnd>(o.which, which_choices)));
    }
    if (o.method == EigenMethod::lobpcg && o.which == EigenEnd::magnitude) {
        throw UsageError(
            "--which magnitude: lobpcg finds one end of the spectrum, smallest or largest; take --method "
            "subspace");
    }
    if (o.preconditioner == Word::shifted_chebyshev && o.degree == 0) {
        throw UsageError("--degree 0: the polynomial of --preconditioner shifted-chebyshev needs at least degree 1");
    }
    if (o.which == EigenEnd::magnitude && o.degree > 0) {
        throw UsageError(
            "--degree: a Chebyshev filter finds one end of the spectrum; leave it out with --which "
            "magnitude");
    }
}

}  // namespace

void add_eigen_options(CLI::App& command, EigenCommandOptions& options) {
    add_matrix(command, "symmetric ", options.matrix);
    add_pair_options(command, options);
    add_method_options(command, options);
    add_computation_options(command, options);
    add_output_options(command, options, "the eigenvectors as columns", "largest residual");
    command.footer(
        "Examples:\n"
        "  stiefel eigen A.mtx                                the 6 smallest eigenvalues\n"
        "  stiefel eigen A.mtx --which largest -k 3 -o V.mtx  the 3 largest, vectors to a file\n"
        "  stiefel eigen A.mtx --json - | jq .pairs           for scripts\n"
        "  mpirun -np 4 stiefel eigen A.mtx                   on four ranks\n"
        "\n"
        "Exit codes: 0 all pairs converged, 1 wrong use, 2 bad input, 3 not all converged (vectors are written all "
        "the same), 5 device, memory or disk.");
}

void check_eigen_options(EigenCommandOptions& o) {
    check_computation_options(o, {{matrix_argument, o.matrix}});
    check_method(o);
    settle_degree(o);
}

void settle_degree(EigenCommandOptions& o) {
    if (o.degree < 0) o.degree = o.which == EigenEnd::magnitude ? 0 : default_degree;
}

}  // namespace stiefel::cli
