#include "stiefel/cli/command.hpp"
#include "stiefel/cli/computation_options.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/info/info_options.hpp"
#include "stiefel/cli/inputs.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/options.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/io/output_file.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <utility>

namespace stiefel::cli {

namespace {

/// Adds what becomes of A x = b with each preconditioner, unless A can be told to be none of ours.
void add_trials(const InfoOptions& options, double seconds_of_cholesky, InfoReport& report, StatusLine& status) {
    const Suitability can_be = suitability(report.matrix);
    if (can_be == Suitability::certain || can_be == Suitability::possible) {
        report.trials = try_preconditioners(options.matrix, options.cache, options.trials, seconds_of_cholesky, status);
    } else {
        report.notes.push_back("--preconditioners: none was tried, as conjugate gradients cannot take the matrix");
    }
}

void check_trials(const InfoOptions& options) {
    check_backend_options(options.trials);
    if (options.trials.asked && options.matrix == "-") {
        throw UsageError("--preconditioners: the matrix is read once for each; give a file instead of -");
    }
    if (!options.trials.asked && options.trials.backend != BackendChoice::automatic) {
        throw UsageError("--backend: info computes on the cores of the host; it is for --preconditioners");
    }
}

}  // namespace

InfoReport described(OpenMP& backend, const InfoOptions& options, StatusLine& status) {
    ComputationReport::Seconds seconds;
    CachedMatrix<double> input =
        csr_of_source(backend, read_matrix_source<double>(backend, options.matrix, options.cache, seconds, status));
    InfoReport report{.path = options.matrix,
                      .symmetry = std::string(word_of(input.symmetry)),
                      .field = std::string(word_of(input.field)),
                      .n_stored = input.n_stored};
    report.notes = std::move(input.notes);
    note_duplicates(options.matrix, input.n_duplicates, report.notes);
    status.show(fmt::format("examining {}", options.matrix));
    report.matrix = analyse(backend, input.csr);
    const bool may_factor = options.trials.asked && report.matrix.square();
    const double seconds_of_cholesky =
        may_factor ? expected_seconds_of_cholesky(input.csr, options.trials.time_limit) : 0;
    {
        const ChosenOperator<OpenMP, double> chosen =
            choose_operator<OpenMP, double>(backend, std::move(input.csr), report.matrix.rows);
        report.auto_format = chosen.a.format();
        report.auto_kernel = chosen.a.kernel();
        report.auto_reason = chosen.why;
    }
    if (options.trials.asked) add_trials(options, seconds_of_cholesky, report, status);
    return report;
}

void check_info_options(const InfoOptions& options) {
    const std::vector<NamedPath> inputs{{matrix_argument, options.matrix}};
    check_cache(options.matrix, options.cache);
    check_trials(options);
    check_outputs({{"--json", options.json}}, inputs);
    check_inputs(inputs);
}

void tell(const InfoReport& report, const InfoOptions& options) {
    print_notes(report.notes);
    if (options.json != "-") print(info_text(report, terminal_width(STDOUT_FILENO)));
    if (options.json == "-") print(info_json(report));
    if (options.json != "-" && !options.json.empty()) {
        write_output("--json", [&] { write_file(options.json, info_json(report)); });
    }
}

namespace {

ExitCode info(const InfoOptions& options, const RunInfo& run) {
    const InterruptGuard guard;  // ends the trials, not the report
    check_info_options(options);
    OpenMP backend(static_cast<int>(options.trials.threads));
    StatusLine status(false);
    InfoReport report = described(backend, options, status);
    report.run = run;
    status.clear();
    tell(report, options);
    return ExitCode::done;
}

}  // namespace

void add_info_command(CLI::App& program, CommandBody& chosen, const CommandsOnRanks& on_ranks) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App& command = *program.add_subcommand("info", "Describe a matrix: symmetry, rows, diagonal, formats");
    command.group("Commands");
    add_matrix(command, "", options->matrix);
    add_flag(command, "--cache", options->cache, {"", "Output", cache_help});
    add_text(command, "--json", options->json,
             {"FILE", "Output", "write the same for programs (docs/cli.md); - is standard output, without the text"});
    add_partition_option(command, "Output", options->partition);
    const std::string group = "Trials";
    add_flag(command, "--preconditioners", options->trials.asked,
             {"", group, "solve A x = b, b random, with each preconditioner, and compare them"});
    add_rtol(command, "--rtol", options->trials.rtol, {"R", group, "to a relative residual of R [1e-8]"});
    add_real(command, "--time-limit", options->trials.time_limit, 0,
             {"SECONDS", group, "of the iterations of each; less where another took much less [60]"});
    add_backend_options(command, group, options->trials);
    command.footer(
        "Examples:\n"
        "  stiefel info A.mtx.gz\n"
        "  stiefel info A.mtx --preconditioners               which one to take\n"
        "  stiefel info A.mtx --json - | jq .row_lengths");
    command.callback([options, &chosen, &on_ranks] {
        chosen = [options, &on_ranks](const RunInfo& run) {
            return on_ranks.info ? on_ranks.info(*options, run) : info(*options, run);
        };
    });
}

}  // namespace stiefel::cli
