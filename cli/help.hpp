#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace stiefel::cli {

/// The help page of the program or of a command, made from the options themselves: what it does, how it is called, its
/// commands, options by group, examples (CLI11's footer). Wrapped to the terminal, to at most 100 columns.
std::string help_page(const CLI::App& app);

}  // namespace stiefel::cli
