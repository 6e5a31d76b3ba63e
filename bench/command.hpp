#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::bench {

/// A subcommand of stiefel-bench. What is listed in commands() is offered.
struct Command {
    std::string_view name;
    std::string_view usage;        ///< behind the name: "[--size N ...] [--threads N]"
    std::string_view description;  ///< one line
    int (*run)(const std::vector<std::string>& arguments);
};

std::span<const Command> commands();

}  // namespace stiefel::bench
