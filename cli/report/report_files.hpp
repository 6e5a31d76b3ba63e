#pragma once

#include "stiefel/cli/outputs.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// "iteration,relative_residual" and a line for each.
std::string history_csv(const std::vector<double>& history);

/// Writes a text where an option asks for it: "-" is standard output.
void write_text(const std::string& path, const std::string& text);

/// Makes and writes the output of an option, if it was given; see try_output.
template <class F>
void try_text(std::string_view flag, const std::string& path, std::vector<std::string>& failures, F&& make_text) {
    if (!path.empty()) try_output(flag, failures, [&] { write_text(path, make_text()); });
}

}  // namespace stiefel::cli
