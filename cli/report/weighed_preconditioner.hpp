#pragma once

#include "stiefel/core/types.hpp"

#include <optional>
#include <string>

namespace stiefel::cli {

/// One of the preconditioners that `auto` has weighed against each other: what was expected of it when it was last
/// looked at, and what its set-up took. What nothing was known of is absent.
struct WeighedPreconditioner {
    std::string name = {};
    std::optional<Size> after = {};         ///< so many iterations of the first one; absent: it was not weighed
    std::optional<double> iterations = {};  ///< of its own that were to follow
    std::optional<double> expected_setup_seconds = {};
    std::optional<double> expected_seconds = {};  ///< until the end, set-up and all
    std::optional<double> as_long_as = {};        ///< that, in iterations of the first one: what was compared
    bool at_least = false;                     ///< what was expected is a bound: no end in sight, or not looked closer
    std::optional<double> setup_seconds = {};  ///< that it took
};

}  // namespace stiefel::cli
