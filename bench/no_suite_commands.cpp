#include "bench/command.hpp"

// In place of bench/suites/ where the program is not built, whose parts suites are made of.

namespace stiefel::bench {

std::span<const Command> suite_commands() {
    return {};
}

}  // namespace stiefel::bench
