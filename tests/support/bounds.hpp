#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiefel::test {

/// How far a sum of n products, taken in T in any order, may be from the exact one:  K n eps sum|a||x|.
/// The first-order bound has K = 1/2 (Higham 2002, section 3.1); K = 2 leaves room for the products with alpha and
/// beta.
template <class T>
long double sum_bound(long double n_terms, long double sum_of_absolutes) {
    constexpr long double k = 2;
    return k * (n_terms + 2) * static_cast<long double>(std::numeric_limits<T>::epsilon()) * sum_of_absolutes;
}

/// True if |computed - exact| <= bound; false if anything is NaN.
inline ::testing::AssertionResult within(long double computed, long double exact, long double bound) {
    if (std::abs(computed - exact) <= bound) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "computed " << computed << ", exact " << exact << ", error "
                                         << std::abs(computed - exact) << " > bound " << bound;
}

}  // namespace stiefel::test
