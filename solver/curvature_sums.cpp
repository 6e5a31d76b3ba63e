#include "stiefel/solver/curvature_sums.hpp"

#include <cmath>

namespace stiefel {

namespace {

template <class T>
CurvatureSums sums_of(std::span<const T> x, std::span<const T> y) {
    CurvatureSums sums;
    double lost = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto a = static_cast<double>(x[i]);
        const auto b = static_cast<double>(y[i]);
        const double product = a * b;
        const double product_lost = std::fma(a, b, -product);
        const double next = sums.product + product;
        const double back = next - sums.product;
        lost += (sums.product - (next - back)) + (product - back) + product_lost;
        sums.product = next;
        sums.absolute += std::abs(product);
        sums.xx += a * a;
        sums.yy += b * b;
    }
    sums.product += lost;
    return sums;
}

}  // namespace

CurvatureSums curvature_sums(std::span<const double> x, std::span<const double> y) {
    return sums_of(x, y);
}
CurvatureSums curvature_sums(std::span<const float> x, std::span<const float> y) {
    return sums_of(x, y);
}

}  // namespace stiefel
