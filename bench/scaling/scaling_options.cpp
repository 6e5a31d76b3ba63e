#include "bench/scaling/scaling_options.hpp"

#include "stiefel/core/error.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <system_error>

namespace stiefel::bench {

namespace {

/// `stiefel` as it lies beside this program, in its folder or in a build's; else that of the search path.
std::string program_beside() {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& there : {folder / "stiefel", folder.parent_path() / "cli" / "stiefel"}) {
        if (fs::exists(there, error)) return there.string();
    }
    return "stiefel";
}

std::unique_ptr<CLI::App> parser_into(ScalingOptions& o) {
    auto app = std::make_unique<CLI::App>(
        "How an iteration of CG scales over ranks of cores, or of a GPU each, and where its time goes.\n"
        "Strong: a grid of N x N x N points, on each number of ranks. Weak: N x N x N points a rank. The ranks make "
        "the "
        "systems\nthat they hold, so no file limits their size. Runs take turns, and each figure is the median of its "
        "rounds; halo\nand sums are what ranks wait in them, in the mean.",
        "stiefel-bench scaling");
    app->add_option("--only", o.kinds, "strong or weak [both]")->check(CLI::IsMember({"strong", "weak"}))->expected(1);
    app->add_option("--ranks", o.ranks, "the first is what others are compared with [1 2 4]")
        ->check(CLI::PositiveNumber);
    app->add_option("--problem", o.problem, "poisson3d, stencil27 or jump_diffusion3d [poisson3d]")
        ->check(CLI::IsMember({"poisson3d", "stencil27", "jump_diffusion3d"}));
    app->add_option("--size", o.size, "N, points along an edge [96]")->check(CLI::PositiveNumber);
    app->add_option("--backend", o.backend, "openmp or cuda, a GPU a rank [openmp]")
        ->check(CLI::IsMember({"openmp", "cuda"}));
    app->add_option("--threads", o.threads, "of each rank of cores [1]")->check(CLI::PositiveNumber);
    app->add_option("--iterations", o.iterations, "of each run [100]")->check(CLI::PositiveNumber);
    app->add_option("--rounds", o.rounds, "[5]")->check(CLI::PositiveNumber);
    app->add_option("--program", o.program, "stiefel, with stiefel-mpi beside it [that of this build]");
    app->add_option("--mpirun", o.mpirun, "what starts ranks, with its options [mpirun --oversubscribe]");
    app->add_option("--json", o.json, "a file for the reports of all runs");
    return app;
}

}  // namespace

ScalingOptions parse_scaling_options(const std::vector<std::string>& arguments) {
    ScalingOptions options{.program = program_beside()};
    try {
        parser_into(options)->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& problem) {
        throw InvalidArgument(std::string("scaling: ") + problem.what());
    }
    return options;
}

std::string scaling_help() {
    ScalingOptions options;
    return parser_into(options)->help();
}

}  // namespace stiefel::bench
