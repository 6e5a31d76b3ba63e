#include "stiefel/cli/computation_options.hpp"

#include "stiefel/cli/inputs.hpp"
#include "stiefel/cli/matrix_input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>

namespace stiefel::cli {

void add_matrix(CLI::App& command, const std::string& kind, std::string& path) {
    command.add_option(std::string(matrix_argument), path)
        ->description(fmt::format(
            "{}Matrix Market file: .mtx, .mtx.gz, a SuiteSparse .tar.gz, or - for standard input; also "
            "Harwell-Boeing and lines 'i j value'; or a test matrix made in place, by a kind, sizes and parameters "
            "of 'stiefel generate': generate:poisson3d:100 (docs/cli.md)",
            kind))
        ->required();
}

void add_budget_options(CLI::App& command, const std::string& group, const std::string& own, const std::string& when,
                        ComputationWords& words) {
    add_whole(command, "--max-iterations", words.max_iterations, 0, std::numeric_limits<Size>::max(),
              {"N", group, fmt::format("[{}]", own)});
    add_real(command, "--time-limit", words.time_limit, 0,
             {"SECONDS", group,
              fmt::format("stop when {}. Reading, choosing a kernel and writing come on top [no limit]", when)});
}

void add_partition_option(CLI::App& command, const std::string& group, std::string& partition) {
    static constexpr std::array<std::string_view, 4> words{"auto", "blocks", "scotch", "metis"};
    add_word(
        command, "--partition", {words.begin(), words.end()}, [&partition](std::size_t at) { partition = words[at]; },
        {"", group,
         "of several ranks (mpirun): blocks of the file's order, or parts by a library that is to keep coupled rows "
         "together; x comes in the file's order. auto keeps that order where its halo is small [auto]"});
}

void add_computation_options(CLI::App& command, ComputationWords& words) {
    const std::string group = "Matrix and machine";
    add_choice<Precision>(command, "--precision", words.precision, precision_choices,
                          {"", group, "of matrix and vectors; sums are double always [double]"});
    add_choice<std::string_view>(
        command, "--format", words.format, format_choices,
        {"", group, "how the matrix is stored; auto takes what should multiply fastest [auto]"});
    add_text(command, "--kernel", words.kernel,
             {"KERNEL", group, "matrix-vector kernel, and by it the format; a wrong name lists all [auto]"});
    add_flag(command, "--cache", words.cache, {"", group, cache_help});
    add_partition_option(command, group, words.partition);
    add_backend_options(command, group, words);
}

void check_computation_options(const ComputationWords& words, const std::vector<NamedPath>& inputs) {
    check_cache(words.matrix, words.cache);
    check_output_options(words, inputs);
    check_inputs(inputs);
    check_backend_options(words);
}

}  // namespace stiefel::cli
