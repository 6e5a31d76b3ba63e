#pragma once

#include "stiefel/cli/backend_options.hpp"
#include "stiefel/cli/method_words.hpp"
#include "stiefel/cli/output_options.hpp"
#include "stiefel/cli/preconditioner_words.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// What the commands that compute with a matrix, solve and eigen, are told in the same words.
struct ComputationWords : BackendWords, OutputWords {
    std::string matrix;
    bool cache = false;
    double rtol = 1e-8;
    Size max_iterations = -1;                                     ///< -1: the command's own
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds, of all that the command iterates
    PreconditionerWord preconditioner = PreconditionerWord::automatic;
    Precision precision = Precision::double_;
    std::string_view format = "auto";  ///< or one of AllFormats::names, if the backend has it
    std::string kernel = "auto";
    std::string partition = "auto";  ///< of rows over several ranks: "auto", "blocks", or a library's name
};

/// --partition: a word of its own where a program of one process has no libraries to ask.
void add_partition_option(CLI::App& command, const std::string& group, std::string& partition);

/// The argument that names the matrix; kind: "symmetric ".
void add_matrix(CLI::App& command, const std::string& kind, std::string& path);

/// --max-iterations and --time-limit; own: the default of iterations; when: "the solve has taken so long; x is
/// written".
void add_budget_options(CLI::App& command, const std::string& group, const std::string& own, const std::string& when,
                        ComputationWords& words);

/// How the matrix is kept, and where and in what precision is computed.
void add_computation_options(CLI::App& command, ComputationWords& words);

/// What can be found wrong with these before anything is read. Throws UsageError.
void check_computation_options(const ComputationWords& words, const std::vector<NamedPath>& inputs);

}  // namespace stiefel::cli
