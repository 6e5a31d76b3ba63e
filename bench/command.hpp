#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::bench {

/// A subcommand of stiefel-bench. What is listed is offered.
struct Command {
    std::string_view name;
    std::string_view usage;        ///< behind the name: "[--size N ...] [--threads N]"
    std::string_view description;  ///< one line
    int (*run)(const std::vector<std::string>& arguments);
    /// "host" or "cuda" if that is all it runs on: --backend, which main() takes then, finds it. Empty: it takes
    /// --backend itself, or has no use for it.
    std::string_view backend = {};
    /// Called before all else, with the arguments of main; null: nothing is to be done.
    void (*begin)(char** argv) = nullptr;
    void (*help)() = nullptr;  ///< prints a page of its own for --help; null: the general one
};

std::span<const Command> commands();

/// Those that only a device has; none in a build without CUDA.
std::span<const Command> cuda_commands();

/// Those that the program or its parts are measured by: `suite`, `scaling`; none in a build without it.
std::span<const Command> program_commands();

}  // namespace stiefel::bench
