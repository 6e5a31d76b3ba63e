#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <limits>

namespace stiefel::fsai {

/// Which entries a factorised sparse approximate inverse has. All numbers are of D^-1/2 A D^-1/2, whose diagonal is 1.
struct Options {
    Size power = 2;           ///< the pattern of G is the lower triangle of that of A^power
    double threshold = 0.05;  ///< entries of A that are not larger are left out before they are multiplied
    Size steps = 0;           ///< above 0: rows grow in so many (GrownPatterns), whatever the power is
    double drop = 0.04;       ///< entries of G that are not larger than so many times the diagonal's are dropped

    static constexpr Size most_power = 4;
    static constexpr Index columns_a_step = 6;
    static constexpr Size most_steps = 8;
    static constexpr Index longest_row = 48;  ///< of A before it is multiplied, and of G: the largest entries stay
};

/// A pivot of a local system that is not larger says that the system is not positive definite to the precision of A.
template <class T>
inline constexpr double least_pivot = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// Throws InvalidArgument.
inline void check(const Options& options) {
    require(options.power >= 1 && options.power <= Options::most_power, "fsai: the power must be 1, 2, 3 or 4");
    require(options.steps >= 0 && options.steps <= Options::most_steps, "fsai: there may be 0 to 8 steps");
    require(options.threshold >= 0 && options.threshold < 1, "fsai: the threshold must lie in [0, 1)");
    require(options.drop >= 0 && options.drop < 1, "fsai: what is dropped must lie in [0, 1)");
}

}  // namespace stiefel::fsai
