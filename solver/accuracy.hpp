#pragma once

#include "stiefel/solver/stop_reason.hpp"

namespace stiefel {

/// How good an x is for what rounding allows.
struct Accuracy {
    double matrix_norm = 0;  ///< |A| that the others refer to
    /// |b - A x| / (|A| |x| + |b|), the normwise backward error: the least e such that (A + E) x = b + f with
    /// |E| <= e |A|, |f| <= e |b| (Rigal and Gaches 1967). At a few eps no x of this precision is better in that sense.
    double backward_error = 0;
    /// eps |A| |x| / |b|: rounding of x and A x may leave a relative residual of this size. Much less is left where
    /// rows of A, or elements of x, are of different sizes.
    double attainable_residual = 0;
};

/// For norms that need not be near 1; not a number where |A| |x| / |b| is beyond the range. b = 0 has x = 0, exactly.
Accuracy accuracy_of(double matrix_norm, double x_norm, double relative_residual, double rhs_norm, double eps);

/// Up to so many eps of backward error rounding explains a residual. It leaves at most (longest row + 1) / 2 of them,
/// and what x that were passed on the way have added (Greenbaum 1997); real matrices end below 1.
inline constexpr double rounding_reach = 16;

/// What a solve that stagnated at such an x has seen: `rounding` or `stuck`.
Evidence stagnation_evidence(const Accuracy& accuracy, double eps);

}  // namespace stiefel
