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
};

std::span<const Command> commands();

/// Those that only a device has; none in a build without CUDA.
std::span<const Command> cuda_commands();

}  // namespace stiefel::bench
