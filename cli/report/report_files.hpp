#pragma once

#include <string>
#include <vector>

namespace stiefel::cli {

/// "iteration,relative_residual" and a line for each.
std::string history_csv(const std::vector<double>& history);

/// Writes the output of an option: nowhere if the path is empty, "-" is standard output. What cannot be written is
/// told in `failures`, so that the other outputs are.
void write_text(const char* flag, const std::string& path, const std::string& text, std::vector<std::string>& failures);

}  // namespace stiefel::cli
