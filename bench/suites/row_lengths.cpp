#include "bench/suites/row_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiefel::bench {

namespace {

/// On [0, 1]: P(X <= x) = 1 - (1 - x^a)^b. Of the two-parameter families between bounds the one with quantiles in
/// closed form; skewed to either side, U-shaped for small parameters.
struct Kumaraswamy {
    double a = 1;
    double b = 1;

    double quantile(double u) const { return std::pow(-std::expm1(std::log1p(-u) / b), 1 / a); }
    double moment(int k) const {
        const double x = 1 + k / a;
        // Gamma(x) / Gamma(x + b), in the limit where logarithms of both would leave nothing of their difference.
        const double quotient = x > 1e6 ? -b * std::log(x) : std::lgamma(x) - std::lgamma(x + b);
        return std::exp(quotient + std::lgamma(1 + b));
    }
    double variance() const { return moment(2) - moment(1) * moment(1); }
};

/// Where f, which grows, reaches the value between the bounds, on a logarithmic scale; a bound if it lies beyond.
template <class F>
double solve_growing(F&& f, double value, double low, double high) {
    low = std::log(low);
    high = std::log(high);
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (f(std::exp(middle)) < value ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

Kumaraswamy fitted(double mean, double variance) {
    const auto with_mean = [&](double b) {
        return Kumaraswamy{solve_growing([&](double a) { return Kumaraswamy{a, b}.moment(1); }, mean, 1e-200, 1e4), b};
    };
    // The larger b at this mean, the narrower.
    return with_mean(solve_growing([&](double b) { return -with_mean(b).variance(); }, -variance, 1e-2, 1e4));
}

/// Of the rows but the longest, which may alone be most of the variance.
Kumaraswamy distribution_of(const RowLengthTargets& t) {
    const double range = t.longest - t.shortest, n = t.rows;
    const double mean = static_cast<double>(t.entries) / n;
    const double others = std::max(1.0, n - 1);
    const double mean_of_others = (static_cast<double>(t.entries) - t.longest) / others;
    const double squares = n * t.deviation * t.deviation - (t.longest - mean) * (t.longest - mean);
    const double variance = std::max(squares, 0.0) / others;
    return fitted((mean_of_others - t.shortest) / range, variance / (range * range));
}

/// Adds or takes one entry here and there until the sum is right; the rows at the ends of the range stay.
void correct_sum(const RowLengthTargets& t, Index shortest_row, Index longest_row, HostVector<Index>& lengths) {
    Size sum = 0;
    for (const Index length : lengths) sum += length;
    while (sum != t.entries) {
        const Index change = sum < t.entries ? 1 : -1;
        const Size wanted = std::min<Size>(std::abs(t.entries - sum), t.rows);
        for (Size k = 0; k < wanted; ++k) {
            // Spread over the rows; the next one that has room.
            for (Size i = k * t.rows / wanted; i < t.rows; ++i) {
                const Index changed = lengths[i] + change;
                if (i == shortest_row || i == longest_row || changed < t.shortest || changed > t.longest) continue;
                lengths[i] = changed;
                sum += change;
                break;
            }
        }
    }
}

}  // namespace

HostVector<Index> row_lengths(const RowLengthTargets& t) {
    HostVector<Index> lengths(t.rows, t.shortest);
    const double range = t.longest - t.shortest;
    if (range == 0) return lengths;
    const Kumaraswamy distribution = distribution_of(t);
    // Multiples of the golden section fill the interval evenly, however many are taken.
    double least = 2, most = -1;
    Index shortest_row = 0, longest_row = 0;
    for (Index i = 0; i < t.rows; ++i) {
        const double multiple = (i / t.run + 0.5) / std::numbers::phi;
        const double u = multiple - std::floor(multiple);
        lengths[i] = t.shortest + static_cast<Index>(std::lround(range * distribution.quantile(u)));
        if (u < least) least = u, shortest_row = i;
        if (u > most) most = u, longest_row = i;
    }
    lengths[shortest_row] = t.shortest;
    lengths[longest_row] = t.longest;
    correct_sum(t, shortest_row, longest_row, lengths);
    return lengths;
}

}  // namespace stiefel::bench
