#pragma once

#include "stiefel/preconditioner/triangular/expansion.hpp"

#include "support/bounds.hpp"
#include "support/triangular_factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel::test {

/// Fails unless L L' z is r as nearly as two substitutions in T make it (Higham 2002, theorem 8.5: each solves a
/// triangle that is off by gamma times its absolute values, in whatever order sums are taken). By an expansion the
/// largest error of a row may be as much larger as errors grow by it.
template <class T>
void expect_solved(const IncompleteFactor<T>& l, const std::vector<T>& r, const std::vector<T>& z,
                   const triangular::Expansion& expansion = {}) {
    const auto n = at(l.n);
    std::vector<long double> middle(n, 0), middle_absolute(n, 0), product(n, 0), absolute(n, 0);
    std::vector<Size> length(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = at(l.start[j]); k < at(l.start[j + 1]); ++k) {
            const auto i = at(l.rows[k]);
            const long double value = l.values[k];
            middle[j] += value * z[i];
            middle_absolute[j] += std::abs(value * z[i]);
            ++length[i];
        }
        length[j] = std::max(length[j], l.start[j + 1] - l.start[j]);
    }
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = at(l.start[j]); k < at(l.start[j + 1]); ++k) {
            const auto i = at(l.rows[k]);
            product[i] += static_cast<long double>(l.values[k]) * middle[j];
            absolute[i] += std::abs(static_cast<long double>(l.values[k])) * middle_absolute[j];
        }
    }
    const Size longest = n == 0 ? 0 : *std::max_element(length.begin(), length.end());
    long double grown = 1, largest = 0;
    if (expansion.steps > 0) {
        const auto triangles = triangular::in_levels(l.columns());
        grown = 1;
        for (const auto* a : {&triangles.lower, &triangles.upper}) {
            grown *= expansion.error_growth(triangular::growth(*a, triangles.inverse));
        }
        for (const long double value : absolute) largest = std::max(largest, value);
    }
    for (std::size_t i = 0; i < n; ++i) {
        // A product with 1 / l_ii rounds once more than a division.
        const long double bound =
            2 * grown *
            sum_bound<T>(static_cast<long double>(longest + 1), expansion.steps > 0 ? largest : absolute[i]);
        ASSERT_TRUE(within(product[i], r[i], bound)) << "row " << i;
    }
}

/// A column of a panel in rows of ld elements.
template <class T>
std::vector<T> column_of(const HostVector<T>& values, Index n, Index c, Size ld) {
    std::vector<T> one(at(n));
    for (Index i = 0; i < n; ++i) one[at(i)] = values[i * ld + c];
    return one;
}

}  // namespace stiefel::test
