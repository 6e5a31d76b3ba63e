#pragma once

#include "stiefel/cli/command.hpp"

namespace CLI {
class App;
}

namespace stiefel::cli {

/// --completions SHELL and --man COMMAND, which write what the options of the program and of its commands say as a
/// script for a shell, and as a manual page. To be called when all commands are declared.
void add_page_options(CLI::App& program, CommandBody& chosen);

}  // namespace stiefel::cli
