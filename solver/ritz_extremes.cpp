#include "stiefel/solver/ritz_extremes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace stiefel {

namespace {

/// Shifts that are tried in one pass, side by side in the registers.
constexpr std::size_t lanes = 8;
using Shifts = std::array<double, lanes>;
using Answers = std::array<bool, lanes>;

/// How close the two ends of a bracket are to come.
constexpr double close_enough = 1.01;
/// Pivots that are carried as quotients, between divisions: their product stays in range where no quotient of pivots is
/// beyond `most_spread`.
constexpr std::size_t pivots_a_division = 4;
constexpr double most_spread = 1e60;

/// T = L D L': d its pivots, e_j = l_j^2 d_j.
struct Factors {
    std::vector<double> d, e;

    /// Those of the coefficients before the first that is no positive number.
    explicit Factors(std::span<const CgCoefficients> coefficients) {
        d.reserve(coefficients.size());
        e.reserve(coefficients.size());
        for (const CgCoefficients& step : coefficients) {
            const double pivot = 1 / step.alpha;
            if (!(step.alpha > 0) || !(pivot > 0) || !std::isfinite(pivot)) break;
            d.push_back(pivot);
            e.push_back(step.beta * pivot);
            if (!(step.beta > 0) || !std::isfinite(e.back())) break;
        }
    }

    void scale(double factor) {
        for (std::size_t j = 0; j < d.size(); ++j) {
            d[j] *= factor;
            e[j] *= factor;
        }
    }

    /// For each shift mu whether it lies beyond the spectrum of T, at the end asked for: below, all pivots of T - mu I
    /// are positive; above, all negative. By the stationary differential qd transform, pivot_j = s_j + d_j,
    /// s_j+1 = e_j s_j / pivot_j - mu, with s = a / c, so that it divides but once in a while; c has the sign of the
    /// pivots' product, changed where all should be negative.
    template <bool below>
    Answers are_beyond(const Shifts& mu) const {
        constexpr double sign = below ? 1 : -1;
        Shifts a, c, worst;
#pragma omp simd
        for (std::size_t w = 0; w < lanes; ++w) {
            a[w] = -mu[w];
            c[w] = worst[w] = 1;
        }
        for (std::size_t begin = 0; begin < d.size(); begin += pivots_a_division) {
            const std::size_t end = std::min(begin + pivots_a_division, d.size());
            for (std::size_t j = begin; j < end; ++j) {
                const double dj = sign * d[j], ej = sign * e[j];
#pragma omp simd
                for (std::size_t w = 0; w < lanes; ++w) {
                    c[w] = sign * a[w] + dj * c[w];
                    worst[w] = std::min(worst[w], c[w]);  // a NaN, which only follows a c <= 0, changes nothing
                    a[w] = ej * a[w] - mu[w] * c[w];
                }
            }
#pragma omp simd
            for (std::size_t w = 0; w < lanes; ++w) {
                a[w] /= c[w];
                c[w] = 1;
            }
        }
        Answers beyond;
        for (std::size_t w = 0; w < lanes; ++w) beyond[w] = worst[w] > 0;
        return beyond;
    }
};

/// The end of the spectrum within [low, high], by dividing it in the logarithm; the side of it that lies in the
/// spectrum, so that what is said of a condition number is not too much.
template <bool smallest>
double end_within(const Factors& t, double low, double high) {
    while (high > close_enough * low) {
        const double step = std::pow(high / low, 1.0 / (lanes + 1.0));
        Shifts mu;
        for (std::size_t w = 0; w < lanes; ++w) mu[w] = low * std::pow(step, static_cast<double>(w + 1));
        const Answers beyond = t.are_beyond<smallest>(mu);
        for (std::size_t w = 0; w < lanes; ++w) {
            if (beyond[w] == smallest) low = std::max(low, mu[w]);
        }
        for (std::size_t w = lanes; w-- > 0;) {
            if (beyond[w] != smallest) high = std::min(high, mu[w]);
        }
    }
    return smallest ? high : low;
}

/// The largest element of T's diagonal: for a definite T no eigenvalue is larger than twice it, as the even and the odd
/// rows of T are diagonal each.
double largest_of_diagonal(const Factors& t) {
    double largest = t.d.front();
    for (std::size_t j = 1; j < t.d.size(); ++j) largest = std::max(largest, t.d[j] + t.e[j - 1]);
    return largest;
}

/// Of the diagonal of D^-1/2 L^-1 L^-1' D^-1/2, whose eigenvalues are those of T^-1: sum and largest, between which the
/// largest of these lies.
struct InverseDiagonal {
    double sum = 0, largest = 0;

    explicit InverseDiagonal(const Factors& t) {
        double row = 1;  // squared length of a row of L^-1
        for (std::size_t j = 0; j < t.d.size(); ++j) {
            const double element = row / t.d[j];
            sum += element;
            largest = std::max(largest, element);
            row = 1 + t.e[j] / t.d[j] * row;
        }
    }
};

}  // namespace

std::optional<RitzExtremes> ritz_extremes(std::span<const CgCoefficients> coefficients) {
    Factors t(coefficients);
    if (t.d.empty()) return {};
    int exponent = 0;
    std::frexp(largest_of_diagonal(t), &exponent);
    exponent = std::clamp(exponent, -1000, 1000);  // a power of two that has an inverse
    t.scale(std::ldexp(1.0, -exponent));
    const double diagonal = largest_of_diagonal(t);
    const InverseDiagonal inverse(t);
    if (!std::isfinite(diagonal) || !std::isfinite(inverse.sum)) return {};
    // Beyond, what is known of the smallest without any search must do.
    const bool can_search = diagonal * inverse.sum < most_spread;
    const double smallest =
        can_search ? end_within<true>(t, 1 / inverse.sum, 1 / inverse.largest) : 1 / inverse.largest;
    const double largest = can_search ? end_within<false>(t, diagonal, 2 * diagonal) : diagonal;
    return RitzExtremes{.smallest = std::ldexp(smallest, exponent), .largest = std::ldexp(largest, exponent)};
}

std::optional<RitzExtremes> joined(const std::optional<RitzExtremes>& a, const std::optional<RitzExtremes>& b) {
    if (!a || !b) return a ? a : b;
    return RitzExtremes{.smallest = std::min(a->smallest, b->smallest), .largest = std::max(a->largest, b->largest)};
}

}  // namespace stiefel
