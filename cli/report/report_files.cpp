#include "stiefel/cli/report/report_files.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/io/output_file.hpp"

#include <fmt/format.h>

#include <iterator>

namespace stiefel::cli {

std::string history_csv(const std::vector<double>& history) {
    std::string text = "iteration,relative_residual\n";
    for (std::size_t k = 0; k < history.size(); ++k)
        fmt::format_to(std::back_inserter(text), "{},{}\n", k, unsigned_nan(history[k]));
    return text;
}

void write_text(const std::string& path, const std::string& text) {
    path == "-" ? print(text) : write_file(path, text);
}

}  // namespace stiefel::cli
