#pragma once

#include "stiefel/core/types.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// What the subcommands on dense kernels are asked:
///     [--backend host|cuda] [--type double|single] [--threads N] [--repetitions N] [--limit SECONDS]
///     [--sweep sizes|tiles|schedules] [SIZE ...]
struct DenseSetting {
    bool cuda = false;
    bool single = false;
    int threads = 0;
    int repetitions = 9;
    double limit_seconds = 10;  ///< of one run; slower rungs are left out
    std::string sweep = {};
    std::vector<Index> sizes = {};
};

/// Throws InvalidArgument that names the argument.
DenseSetting parse_dense_setting(const std::vector<std::string>& arguments, DenseSetting defaults);

}  // namespace stiefel::bench
