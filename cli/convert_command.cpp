#include "stiefel/cli/command.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/inputs.hpp"
#include "stiefel/cli/method_words.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/symmetry_check.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace stiefel::cli {

namespace {

struct ConvertOptions {
    std::string input;
    std::string output;
    bool symmetric = false;
    bool general = false;
    Precision precision = Precision::double_;
    Size threads = 0;
    bool quiet = false;
};

/// The entries in the storage asked for; as they are if none is. The CSR between sorts them and adds up duplicates.
template <class T>
Coo<T> restored(OpenMP& backend, Coo<T> coo, const ConvertOptions& options) {
    if (!options.symmetric && !options.general) return coo;
    if (options.symmetric && coo.symmetry == Symmetry::symmetric) return coo;
    HostCsr<T> csr = csr_from_coo(backend, std::exchange(coo, {})).csr;
    if (options.symmetric) check_exactly_symmetric(backend, csr, options.input);
    return coo_from_csr(backend, csr, options.symmetric);
}

template <class T>
ExitCode convert(const ConvertOptions& options) {
    const Stopwatch watch;
    StatusLine status(options.quiet);
    OpenMP backend(static_cast<int>(options.threads));
    status.show(fmt::format("reading {}", options.input));
    MatrixMarket<T> file = read_matrix<T>(options.input, {.threads = backend.threads()});
    const MatrixMarketHeader& header = file.header;
    const bool is_array = header.format == MatrixMarketFormat::array && header.symmetry == Symmetry::general;
    const WriteOptions write_options{.threads = backend.threads(), .comments = header.comments};

    Size n_entries = file.coo.n_entries();
    if (is_array && !options.symmetric) {
        status.show(fmt::format("writing {}", options.output));
        write_output("OUT", [&] {
            write_array<T>(options.output, header.n_rows, header.n_cols, file.coo.values.span(), write_options);
        });
    } else {
        const Coo<T> coo = restored(backend, std::move(file.coo), options);
        n_entries = coo.n_entries();
        status.show(fmt::format("writing {}", options.output));
        write_output("OUT", [&] { write_matrix(options.output, coo, write_options); });
    }
    status.clear();
    if (options.quiet) return ExitCode::done;
    print_notes(noted(options.input, file.notes));
    if (options.output != "-") {
        std::error_code is_no_file;
        const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(options.output, is_no_file));
        print(fmt::format("{}: {} x {}, {}{}, in {}\n", options.output, grouped(header.n_rows), grouped(header.n_cols),
                          n_entries == 1 ? "1 entry" : grouped(n_entries) + " entries",
                          is_no_file ? "" : ", " + format_bytes(bytes), format_seconds(watch.seconds())));
    }
    return ExitCode::done;
}

void check_convert_options(const ConvertOptions& options) {
    if (options.symmetric && options.general) throw UsageError("--symmetric and --general contradict each other");
    const std::vector<NamedPath> inputs{{"IN", options.input}};
    check_outputs({{"OUT", options.output}}, inputs);
    check_inputs(inputs);
}

}  // namespace

void add_convert_command(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<ConvertOptions>();
    CLI::App& command = *program.add_subcommand("convert", "Rewrite a matrix: compress, expand, store one triangle");
    command.group("Commands");
    command.add_option("IN", options->input)
        ->description("what to read: .mtx, .mtx.gz, a SuiteSparse .tar.gz, or - for standard input")
        ->required();
    command.add_option("OUT", options->output)
        ->description("what to write: .mtx, .mtx.gz, or - for standard output")
        ->required();
    add_flag(command, "--symmetric", options->symmetric,
             {"", "Storage", "one triangle; refused if the matrix is not exactly symmetric"});
    add_flag(command, "--general", options->general,
             {"", "Storage", "every entry, rows in order, duplicates added up"});
    add_choice<Precision>(command, "--precision", options->precision, precision_choices,
                          {"", "Storage", "single rounds every value to 32 bits [double]"});
    add_whole(command, "--threads", options->threads, 1, 4096, {"N", "Other", "[OMP_NUM_THREADS, else all cores]"});
    add_flag(command, "-q,--quiet", options->quiet, {"", "Other", "say nothing but errors"});
    command.footer(
        "Numbers are written with the fewest digits that read back as the same bits; comments are kept. Without "
        "--symmetric or --general the entries stay as they are, in their order.\n"
        "\n"
        "Examples:\n"
        "  stiefel convert A.mtx A.mtx.gz\n"
        "  stiefel convert nd3k.tar.gz nd3k.mtx\n"
        "  stiefel convert A.mtx.gz - --general | head");
    command.callback([options, &chosen] {
        chosen = [options](const RunInfo&) {
            check_convert_options(*options);
            return options->precision == Precision::single ? convert<float>(*options) : convert<double>(*options);
        };
    });
}

}  // namespace stiefel::cli
