#include "stiefel/cli/command.hpp"
#include "stiefel/cli/computation_options.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/info/info_report.hpp"
#include "stiefel/cli/inputs.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/options.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/io/output_file.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace stiefel::cli {

namespace {

struct InfoOptions {
    std::string matrix;
    std::string json;
    bool cache = false;
    Size threads = 0;
};

InfoReport describe_file(const InfoOptions& options, StatusLine& status) {
    OpenMP backend(static_cast<int>(options.threads));
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
    const ChosenOperator<OpenMP, double> chosen =
        choose_operator<OpenMP, double>(backend, std::move(input.csr), report.matrix.rows);
    report.auto_format = chosen.a.format();
    report.auto_kernel = chosen.a.kernel();
    report.auto_reason = chosen.why;
    return report;
}

ExitCode info(const InfoOptions& options, const RunInfo& run) {
    const std::vector<NamedPath> inputs{{"A.mtx", options.matrix}};
    check_cache(options.matrix, options.cache);
    check_outputs({{"--json", options.json}}, inputs);
    check_inputs(inputs);
    StatusLine status(false);
    InfoReport report = describe_file(options, status);
    report.run = run;
    status.clear();
    print_notes(report.notes);
    if (options.json != "-") print(info_text(report, terminal_width(STDOUT_FILENO)));
    if (options.json == "-") print(info_json(report));
    if (options.json != "-" && !options.json.empty()) {
        write_output("--json", [&] { write_file(options.json, info_json(report)); });
    }
    return ExitCode::done;
}

}  // namespace

void add_info_command(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App& command = *program.add_subcommand("info", "Describe a matrix: symmetry, rows, diagonal, formats");
    command.group("Commands");
    add_matrix(command, "", options->matrix);
    add_flag(command, "--cache", options->cache, {"", "Output", cache_help});
    add_text(command, "--json", options->json,
             {"FILE", "Output", "write the same for programs (docs/cli.md); - is standard output, without the text"});
    add_whole(command, "--threads", options->threads, 1, 4096, {"N", "Output", "[OMP_NUM_THREADS, else all cores]"});
    command.footer(
        "Examples:\n"
        "  stiefel info A.mtx.gz\n"
        "  stiefel info A.mtx --json - | jq .row_lengths");
    command.callback([options, &chosen] { chosen = [options](const RunInfo& run) { return info(*options, run); }; });
}

}  // namespace stiefel::cli
