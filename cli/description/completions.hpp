#pragma once

#include "stiefel/cli/description/command_description.hpp"

#include <string>

namespace stiefel::cli {

// Scripts that let a shell complete commands, options, the words that an option takes, and names of files where it
// takes a file. They hold all words themselves and do not run the program.

/// For bash, with or without the package bash-completion.
std::string bash_completion(const CommandDescription& program);

/// For zsh: a file `_NAME` in a folder of its fpath.
std::string zsh_completion(const CommandDescription& program);

std::string fish_completion(const CommandDescription& program);

}  // namespace stiefel::cli
