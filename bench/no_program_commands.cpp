#include "bench/command.hpp"

// In place of program_commands.cpp where the program is not built.

namespace stiefel::bench {

std::span<const Command> program_commands() {
    return {};
}

}  // namespace stiefel::bench
