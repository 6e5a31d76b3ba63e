#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace stiefel::bench {

/// Work of fixed size and seed whose instructions are counted.
struct CountedJob {
    std::string_view name;
    std::string_view description;
    /// Makes what the work needs, which is not counted; gives the work, which says whether its result is right.
    std::function<bool()> (*prepare)();
};

/// Generating, reading, converting, multiplying.
std::span<const CountedJob> matrix_jobs();
/// Linear systems and eigenpairs.
std::span<const CountedJob> solver_jobs();

}  // namespace stiefel::bench
