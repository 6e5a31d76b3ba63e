#pragma once

#include "stiefel/cli/options.hpp"
#include "stiefel/cli/outputs.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// What a command that computes vectors writes, as the command line says it.
struct OutputWords {
    std::string output;  ///< the vectors
    std::string history;
    std::string json;
    std::string report;
    bool quiet = false;

    bool wants_history() const { return !history.empty() || !report.empty(); }

    /// Whether standard output belongs to one of the outputs.
    bool uses_stdout() const { return output == "-" || history == "-" || json == "-" || report == "-"; }
};

/// vectors: what --output writes: "x"; residual: what --history does.
void add_output_options(CLI::App& command, OutputWords& words, const std::string& vectors, const std::string& residual);

/// Throws UsageError for what cannot be written, or gets in the way of another output or of an input.
void check_output_options(const OutputWords& words, const std::vector<NamedPath>& inputs);

}  // namespace stiefel::cli
