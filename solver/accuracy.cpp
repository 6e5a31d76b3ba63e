#include "stiefel/solver/accuracy.hpp"

#include <cmath>
#include <limits>

namespace stiefel {

namespace {

/// a b / c where the product may leave the range on the way.
double ratio(double a, double b, double c) {
    int of_a = 0, of_b = 0, of_c = 0;
    const double near_one = std::frexp(a, &of_a) * std::frexp(b, &of_b) / std::frexp(c, &of_c);
    return std::ldexp(near_one, of_a + of_b - of_c);
}

}  // namespace

Accuracy accuracy_of(double matrix_norm, double x_norm, double relative_residual, double rhs_norm, double eps) {
    if (rhs_norm == 0) return {.matrix_norm = matrix_norm};
    const double product = ratio(matrix_norm, x_norm, rhs_norm);  // |A| |x| / |b|
    if (!std::isfinite(product)) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        return {.matrix_norm = matrix_norm, .backward_error = nan, .attainable_residual = nan};
    }
    return {.matrix_norm = matrix_norm,
            .backward_error = relative_residual / (product + 1),
            .attainable_residual = eps * product};
}

Evidence stagnation_evidence(const Accuracy& accuracy, double eps) {
    return accuracy.backward_error > rounding_reach * eps ? Evidence::stuck : Evidence::rounding;
}

}  // namespace stiefel
