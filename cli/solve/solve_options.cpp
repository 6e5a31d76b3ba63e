#include "stiefel/cli/solve/solve_options.hpp"

#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/cli/inputs.hpp"
#include "stiefel/solver/block_cg.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>

namespace stiefel::cli {

namespace {

void add_system_options(CLI::App& command, SolveOptions& o) {
    const std::string group = "System";
    add_text(command, "--rhs", o.rhs,
             {"FILE|ones|random|random:K|consistent|archive", group,
              "right-hand sides b: a Matrix Market or NumPy (.npy) vector, or an array of many columns; or ones "
              "(default), random (in "
              "(-1, 1), always the same), random:K (K columns), consistent (A times ones, so that the error is known), "
              "archive (NAME_b.mtx of the same .tar.gz)"});
    add_text(command, "--guess", o.guess, {"FILE", group, "start from this x instead of zeros"});
}

void add_stopping_options(CLI::App& command, SolveOptions& o) {
    const std::string group = "Stopping";
    add_rtol(command, "--rtol", o.rtol,
             {"R", group, "stop when |b - A x| <= R |b| for the residual computed afresh [1e-8]"});
    add_real(command, "--atol", o.atol, 0, {"R", group, "... or when |b - A x| <= R [0]"});
    add_budget_options(command, group, "10 n, at least 1000000",
                       "the solve has taken so long, of all right-hand sides together; x is written, those not begun "
                       "keep their guess",
                       o);
}

void add_method_options(CLI::App& command, SolveOptions& o) {
    const std::string group = "Method";
    add_choice<SolverWord>(command, "--solver", o.solver, solver_choices,
                           {"", group,
                            "cg solves for many right-hand sides one after another, block-cg for a block of them at "
                            "once, both does it in both ways and compares [cg]"});
    add_whole(command, "--block", o.block, 1, max_block_columns,
              {"N", group, "right-hand sides in a block of block-cg [16]"});
    add_choice<PreconditionerWord>(command, "--preconditioner", o.preconditioner, preconditioner_choices(),
                                   {"", group, preconditioner_help()});
    add_choice<ReorderWord>(command, "--reorder", o.reorder, reorder_choices,
                            {"", group,
                             "solve with rows and columns in another order; x comes in that of the file. rcm (reverse "
                             "Cuthill-McKee) brings rows that are coupled together, amd (approximate minimum degree) "
                             "keeps the fill of factors low; auto takes rcm on the host for large matrices that are "
                             "numbered as if by chance; of several ranks each orders the rows that it holds [auto]"});
    add_choice<ScaleWord>(command, "--scale", o.scale, scale_choices,
                          {"", group,
                           "diagonal solves D A D y = D b and gives x = D y, D being powers of two next to 1 / "
                           "sqrt(a_ii): for rows in units far apart, where the preconditioner does not level them by "
                           "itself; residuals are those of A x = b all the same; in one process only [none]"});
}

constexpr Size most_ic_level = 10;

void add_ic_options(CLI::App& command, cholesky::IncompleteOptions& ic) {
    const std::string group = "Incomplete Cholesky (--preconditioner ic)";
    add_real(command, "--ic-threshold", ic.threshold, 0,
             {"T", group, "drop what is below T times the norm of its column; 0 keeps the pattern of A [0]"});
    add_real(command, "--ic-fill", ic.fill, 1,
             {"F", group, "with a threshold, at most F times A's entries in a column [2]"});
    add_whole(command, "--ic-level", ic.level, 0, most_ic_level,
              {"K", group,
               "keep fill up to level K: 1 is what two entries of A make, 2 what these make with others, and so on; "
               "not with --ic-threshold [0]"});
}

void add_ssor_options(CLI::App& command, ssor::Options& ssor) {
    add_real(command, "--ssor-omega", ssor.omega, 0,
             {"W", "Symmetric successive over-relaxation (--preconditioner ssor)",
              "relaxation factor between 0 and 2, these not among them; 1 is symmetric Gauss-Seidel [1]"});
}

void add_block_jacobi_options(CLI::App& command, block_jacobi::Options& o) {
    add_whole(
        command, "--jacobi-block", o.size, 1, block_jacobi::Options::most_size,
        {"N", "Block Jacobi (--preconditioner block-jacobi)",
         fmt::format("rows of a block, one behind the other; by itself the program finds rows that are coupled to "
                     "the same others, and puts neighbours together up to {}",
                     block_jacobi::Options::most_found)});
}

void add_fsai_options(CLI::App& command, fsai::Options& o) {
    const std::string group = "Sparse approximate inverse (--preconditioner fsai)";
    const fsai::Options untold;
    add_whole(command, "--fsai-power", o.power, 1, fsai::Options::most_power,
              {"N", group,
               fmt::format("the pattern of the factor is that of A's lower triangle, of A^2, A^3 or A^4 "
                           "[{}]",
                           untold.power)});
    add_whole(command, "--fsai-steps", o.steps, 0, fsai::Options::most_steps,
              {"N", group,
               fmt::format("above 0: rows of the factor grow in N steps, each by the {} entries that are worth most, "
                           "instead of having a power's pattern [{}]",
                           fsai::Options::columns_a_step, untold.steps)});
    add_real(command, "--fsai-threshold", o.threshold, 0,
             {"T", group,
              fmt::format("of that pattern leave out what is not above T, with A scaled to a unit "
                          "diagonal [{}]",
                          untold.threshold)});
    add_real(
        command, "--fsai-drop", o.drop, 0,
        {"T", group, fmt::format("drop what is not above T times the diagonal entry of its row [{}]", untold.drop)});
}

/// The first flag of it that was given; empty where none was.
std::string_view given(const fsai::Options& o) {
    const fsai::Options untold;
    if (o.power != untold.power) return "--fsai-power";
    if (o.steps != untold.steps) return "--fsai-steps";
    if (o.threshold != untold.threshold) return "--fsai-threshold";
    return o.drop != untold.drop ? "--fsai-drop" : "";
}

/// The first flag of incomplete Cholesky that was given; empty where none was.
std::string_view given(const cholesky::IncompleteOptions& ic) {
    const cholesky::IncompleteOptions untold;
    if (ic.threshold != untold.threshold) return "--ic-threshold";
    if (ic.level != untold.level) return "--ic-level";
    return ic.fill != untold.fill ? "--ic-fill" : "";
}

std::string_view given(const ssor::Options& ssor) {
    return ssor.omega != ssor::Options().omega ? "--ssor-omega" : "";
}

std::string_view given(const block_jacobi::Options& o) {
    return o.size != block_jacobi::Options().size ? "--jacobi-block" : "";
}

/// A flag that was given, unless it is empty, belongs to one preconditioner; `auto` may go on with multigrid.
void check_whose(std::string_view flag, PreconditionerWord whose, PreconditionerWord asked) {
    const bool may_follow = whose == PreconditionerWord::amg && asked == PreconditionerWord::automatic;
    if (flag.empty() || asked == whose || may_follow) return;
    const auto word = [](PreconditionerWord of) { return word_of<PreconditionerWord>(of, preconditioner_choices()); };
    throw UsageError(fmt::format("{} is for --preconditioner {}, not {}", flag, word(whose), word(asked)));
}

void check_below_one(std::string_view flag, double value) {
    if (value >= 1) throw UsageError(fmt::format("{} {}: give less than 1", flag, value));
}

}  // namespace

void add_solve_options(CLI::App& command, SolveOptions& options) {
    add_matrix(command, "", options.matrix);
    add_system_options(command, options);
    add_stopping_options(command, options);
    add_method_options(command, options);
    add_amg_options(command, options.amg);
    add_block_jacobi_options(command, options.block_jacobi);
    add_fsai_options(command, options.fsai);
    add_ic_options(command, options.ic);
    add_ssor_options(command, options.ssor);
    add_computation_options(command, options);
    add_output_options(command, options, "x", "residual");
    command.footer(
        "Examples:\n"
        "  stiefel solve A.mtx -o x.mtx                       b = ones, x to a file\n"
        "  stiefel solve A.mtx --rhs b.mtx --rtol 1e-10       your own right-hand side\n"
        "  stiefel solve nd3k.tar.gz --rhs archive            as SuiteSparse packs them\n"
        "  stiefel solve A.mtx --rhs consistent               see the error, not only the residual\n"
        "  stiefel solve A.mtx --report run.html              a page with verdict and plots\n"
        "  stiefel solve A.mtx --json - | jq .result          for scripts\n"
        "  stiefel solve generate:poisson3d:100               a test matrix, without a file\n"
        "  mpirun -np 4 stiefel solve A.mtx                   on four ranks\n"
        "\n"
        "Exit codes: 0 converged, 1 wrong use, 2 bad input, 3 not converged (x is written all the same), "
        "4 not positive definite, 5 device, memory or disk.");
}

Index random_columns(const std::string& rhs) {
    const std::size_t colon = rhs.find(':');
    if (colon == std::string::npos) return 1;
    Index columns = 0;
    const char* const end = rhs.data() + rhs.size();
    const auto parsed = std::from_chars(rhs.data() + colon + 1, end, columns);
    if (parsed.ec != std::errc{} || parsed.ptr != end || columns < 1) {
        throw UsageError(fmt::format("--rhs {}: after random: comes a number of columns, at least 1", rhs));
    }
    return columns;
}

void check_solve_options(const SolveOptions& o) {
    const std::vector<NamedPath> inputs{
        {matrix_argument, o.matrix},
        {"--rhs", o.rhs_is_file() ? o.rhs : "", {"ones", "random", "random:K", "consistent", "archive"}},
        {"--guess", o.guess},
        {"--coordinates", o.amg.coordinates == "archive" ? "" : o.amg.coordinates, {"archive"}}};
    if (o.rhs == "archive") check_from_file("--rhs archive", o.matrix);
    if (o.amg.coordinates == "archive") check_from_file("--coordinates archive", o.matrix);
    check_computation_options(o, inputs);
    check_solve_words(o);
}

void check_solve_words(const SolveOptions& o) {
    check_backend_options(o);
    if (o.rhs_is_random()) static_cast<void>(random_columns(o.rhs));
    check_whose(o.amg.given(), PreconditionerWord::amg, o.preconditioner);
    check_whose(given(o.block_jacobi), PreconditionerWord::block_jacobi, o.preconditioner);
    check_whose(given(o.fsai), PreconditionerWord::fsai, o.preconditioner);
    check_whose(given(o.ic), PreconditionerWord::ic, o.preconditioner);
    check_whose(given(o.ssor), PreconditionerWord::ssor, o.preconditioner);
    const bool reorders = o.reorder == ReorderWord::rcm || o.reorder == ReorderWord::amd;
    if (reorders && !o.amg.coordinates.empty()) {
        throw UsageError("--reorder moves rows, and --coordinates are those of nodes as the file has them; give one");
    }
    if (o.scale != ScaleWord::none && !o.amg.coordinates.empty()) {
        throw UsageError(
            "--scale changes what bodies can do without strain, which --coordinates tell of A as the file has it; give "
            "one");
    }
    check_below_one("--fsai-threshold", o.fsai.threshold);
    check_below_one("--fsai-drop", o.fsai.drop);
    check_below_one("--ic-threshold", o.ic.threshold);
    if (o.ic.level > 0 && o.ic.threshold > 0) {
        throw UsageError("--ic-level chooses entries by where they are, --ic-threshold by their size; give one");
    }
    if (o.ssor.omega <= 0 || o.ssor.omega >= 2) {
        throw UsageError(fmt::format("--ssor-omega {}: give more than 0 and less than 2", o.ssor.omega));
    }
}

}  // namespace stiefel::cli
