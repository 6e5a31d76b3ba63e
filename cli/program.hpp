#pragma once

#include "stiefel/cli/command.hpp"

namespace stiefel::cli {

/// The whole program: parses the command line, does what it says, and returns the exit code. Throws nothing. Where it
/// is one of several ranks, on_ranks is what they do together, and commands that several have no use for are refused.
int run_program(int argc, char** argv, const CommandsOnRanks& on_ranks = {});

}  // namespace stiefel::cli
