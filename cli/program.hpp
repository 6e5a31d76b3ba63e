#pragma once

namespace stiefel::cli {

/// The whole program: parses the command line, does what it says, and returns the exit code. Throws nothing.
int run_program(int argc, char** argv);

}  // namespace stiefel::cli
