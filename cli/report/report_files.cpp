#include "stiefel/cli/report/report_files.hpp"

#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/io/output_file.hpp"

#include <fmt/format.h>

#include <iterator>

namespace stiefel::cli {

std::string history_csv(const std::vector<double>& history) {
    std::string text = "iteration,relative_residual\n";
    for (std::size_t k = 0; k < history.size(); ++k) fmt::format_to(std::back_inserter(text), "{},{}\n", k, history[k]);
    return text;
}

void write_text(const char* flag, const std::string& path, const std::string& text,
                std::vector<std::string>& failures) {
    try {
        if (path == "-") print(text);
        if (path != "-" && !path.empty()) write_file(path, text);
    } catch (const Error& problem) {
        failures.push_back(fmt::format("{}: {}", flag, problem.what()));
    }
}

}  // namespace stiefel::cli
