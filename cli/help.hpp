#pragma once

#include "stiefel/cli/description/command_description.hpp"

#include <string>

namespace stiefel::cli {

/// The help page of the program or of a command: what it does, how it is called, its commands, options by group, and
/// what stands below them. Wrapped to the terminal, to at most 100 columns.
std::string help_page(const CommandDescription& command);

}  // namespace stiefel::cli
