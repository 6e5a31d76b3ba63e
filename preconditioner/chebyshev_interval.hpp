#pragma once

#include <algorithm>

namespace stiefel {

/// What an eigensolver knows of the wanted end of the spectrum while it runs. first: the outermost Ritz value; last:
/// the innermost of the block. Everything that is not wanted lies beyond `last`, as far as is known.
struct RitzSpan {
    double first = 0;
    double last = 0;
};

/// What a Chebyshev polynomial in sign A is to keep small, [lower, upper], and where it is to be large: target < lower.
struct ChebyshevInterval {
    double target = 0;
    double lower = 0;
    double upper = 0;
};

/// The interval beyond the block, and no nearer to the target than a polynomial of that degree can tell apart.
/// sign: 1 for the smallest pairs, -1 for the largest. upper: bounds sign A from above.
inline ChebyshevInterval chebyshev_interval(double sign, const RitzSpan& span, double upper, int degree) {
    const double target = sign * span.first;
    const double reach = static_cast<double>(degree + 1);
    const double width = upper - target;
    return {target, std::clamp(sign * span.last, target + width / (reach * reach), target + width / 2), upper};
}

}  // namespace stiefel
