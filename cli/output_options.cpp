#include "stiefel/cli/output_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace stiefel::cli {

void add_output_options(CLI::App& command, OutputWords& words, const std::string& vectors,
                        const std::string& residual) {
    const std::string group = "Output ('-' is standard output, and takes the place of the report there)";
    add_text(command, "-o,--output", words.output,
             {"FILE", group,
              fmt::format("write {}: .mtx (Matrix Market array), .npy (NumPy) or .csv; .mtx.gz and .csv.gz compress",
                          vectors)});
    add_text(command, "--history", words.history,
             {"FILE.csv", group, fmt::format("write the {} after each iteration", residual)});
    add_text(command, "--json", words.json, {"FILE", group, "write the report for programs (docs/cli.md)"});
    add_text(command, "--report", words.report,
             {"FILE.html", group, "write the report as a page: verdict, plots, the matrix, times"});
    add_flag(command, "-q,--quiet", words.quiet, {"", group, "say nothing but errors; the exit code tells"});
}

void check_output_options(const OutputWords& words, const std::vector<NamedPath>& inputs) {
    check_vector_ending("--output", words.output);
    check_outputs(
        {{"--output", words.output}, {"--history", words.history}, {"--json", words.json}, {"--report", words.report}},
        inputs);
}

}  // namespace stiefel::cli
