#include "stiefel/cli/command.hpp"
#include "stiefel/cli/options.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/vector_files.hpp"
#include "stiefel/problems/problem_list.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <limits>

namespace stiefel::cli {

namespace {

struct GenerateOptions {
    std::vector<std::string> sizes;
    std::vector<std::pair<std::string_view, std::string>> named;  ///< parameters given by name
    std::string output;
    std::string coordinates;
    Size threads = 0;
    bool general = false;
    bool quiet = false;
};

/// What was asked for, in the words that ask for it again: the file's comment.
std::string recipe(const Problem& problem, const GenerateOptions& options) {
    std::string line = fmt::format("stiefel generate {}", problem.name);
    for (const std::string& size : options.sizes) line += " " + size;
    for (const auto& [name, value] : options.named) line += fmt::format(" --{} {}", name, value);
    return line;
}

void write_coordinates(const Problem& problem, const ProblemArguments& arguments, const GenerateOptions& options,
                       int threads) {
    constexpr Index dimensions = 3;
    const HostVector<double> nodes = problem.make_coordinates(arguments);
    write_output("--coordinates", [&] {
        write_vectors<double>(options.coordinates, static_cast<Index>(nodes.size() / dimensions), dimensions,
                              nodes.span(), {.threads = threads, .comments = {recipe(problem, options)}});
    });
}

ExitCode generate(const Problem& problem, const GenerateOptions& options) {
    if (options.output.empty()) {
        throw UsageError(fmt::format("generate {}: where to? Give -o FILE, or -o - for standard output", problem.name));
    }
    check_vector_ending("--coordinates", options.coordinates);
    check_outputs({{"--output", options.output}, {"--coordinates", options.coordinates}}, {});
    ProblemArguments arguments(problem);
    arguments.set_sizes(options.sizes);
    for (const auto& [name, value] : options.named) arguments.set(name, std::string_view(value));

    const Stopwatch watch;
    StatusLine status(options.quiet);
    status.show(fmt::format("generating {}", problem.name));
    OpenMP backend(static_cast<int>(options.threads));
    const bool triangle = problem.kind != ProblemKind::general && !options.general;
    HostCsr<double> csr = problem.make<double>(backend, arguments);
    const Index n_rows = csr.n_rows, n_cols = csr.n_cols;
    const Size nnz = csr.nnz();
    const Coo<double> coo = coo_from_csr(backend, std::exchange(csr, {}), triangle);
    status.show(fmt::format("writing {}", options.output));
    write_output("--output", [&] {
        write_matrix(options.output, coo, {.threads = backend.threads(), .comments = {recipe(problem, options)}});
    });
    if (!options.coordinates.empty()) write_coordinates(problem, arguments, options, backend.threads());
    status.clear();
    if (!options.quiet && options.output != "-") {
        print(fmt::format("{}: {} x {}, {}, {}; {} written in {}\n", options.output, grouped(n_rows), grouped(n_cols),
                          counted(nnz, "nonzero"), describe(problem.kind), triangle ? "one triangle" : "all of them",
                          format_seconds(watch.seconds())));
    }
    return ExitCode::done;
}

std::string parameter_help(const ProblemParameter& parameter) {
    if (!parameter.fallback) return std::string(parameter.meaning);
    return fmt::format("{} [{}]", parameter.meaning, *parameter.fallback);
}

void add_parameters(CLI::App& command, const Problem& problem, GenerateOptions& options) {
    std::string meanings;
    for (const ProblemParameter& parameter : problem.parameters) {
        if (parameter.kind == ParameterKind::size) {
            meanings +=
                fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", parameter.name, parameter_help(parameter));
            continue;
        }
        const std::string_view name = parameter.name;
        command
            .add_option_function<std::string>(
                fmt::format("--{}", name),
                [&options, name](const std::string& value) { options.named.emplace_back(name, value); })
            ->description(parameter_help(parameter))
            ->type_name(parameter.kind == ParameterKind::whole ? "N" : "R")
            ->group("Parameters");
    }
    if (!meanings.empty()) command.add_option("SIZES", options.sizes)->description(meanings)->expected(0, -1);
}

void add_problem(CLI::App& generate_app, const Problem& problem, CommandBody& chosen) {
    const auto options = std::make_shared<GenerateOptions>();
    CLI::App& command = *generate_app.add_subcommand(std::string(problem.name), std::string(problem.description));
    command.group(fmt::format("Kinds, {}", describe(problem.kind)));
    add_parameters(command, problem, *options);
    add_text(command, "-o,--output", options->output,
             {"FILE", "Output", "required; .gz compresses, - is standard output"});
    if (problem.make_coordinates != nullptr) {
        add_text(command, "--coordinates", options->coordinates,
                 {"FILE", "Output", "also write where its nodes are, for solve --coordinates: .mtx, .npy or .csv"});
    }
    if (problem.kind != ProblemKind::general) {
        add_flag(command, "--general", options->general, {"", "Output", "write all entries instead of one triangle"});
    }
    add_whole(command, "--threads", options->threads, 1, 4096, {"N", "Output", "[OMP_NUM_THREADS, else all cores]"});
    add_flag(command, "-q,--quiet", options->quiet, {"", "Output", "say nothing but errors"});
    command.callback([&problem, options, &chosen] {
        chosen = [&problem, options](const RunInfo&) { return generate(problem, *options); };
    });
}

}  // namespace

void add_generate_command(CLI::App& program, CommandBody& chosen) {
    CLI::App& command = *program.add_subcommand("generate", "Write a test matrix");
    command.group("Commands");
    command.require_subcommand(0, 1);
    for (const Problem& problem : problems()) add_problem(command, problem, chosen);
    command.footer(
        "Sizes follow the kind, other parameters are given by name; 'stiefel generate KIND --help' lists both.\n"
        "\n"
        "Examples:\n"
        "  stiefel generate poisson3d 100 -o poisson.mtx            100 x 100 x 100 points\n"
        "  stiefel generate poisson2d 300 200 -o p.mtx.gz\n"
        "  stiefel generate poisson2d 30 -o - | stiefel solve -\n"
        "\n"
        "'solve', 'eigen' and 'info' make one in place too: 'stiefel solve generate:poisson3d:100'.");
}

}  // namespace stiefel::cli
