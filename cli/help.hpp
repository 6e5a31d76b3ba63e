#pragma once

#include <string>

namespace CLI {
class App;
}

namespace stiefel::cli {

/// "stiefel convert IN OUT [OPTIONS]": how a command is called.
std::string usage_line(const CLI::App& app);

/// The help page of the program or of a command, made from the options themselves: what it does, how it is called, its
/// commands, options by group, and CLI11's footer: paragraphs, and examples, which are the lines that begin with two
/// blanks, with what they do after two blanks more. Wrapped to the terminal, to at most 100 columns.
std::string help_page(const CLI::App& app);

}  // namespace stiefel::cli
