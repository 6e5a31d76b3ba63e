#include "stiefel/analysis/infinity_norm.hpp"

#include "stiefel/problems/poisson.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiefel::test {
namespace {

template <class T>
class InfinityNorm : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(InfinityNorm, Types);

/// The largest sum of a row in extended precision.
template <class T>
long double largest_row_sum(const HostCsr<T>& a) {
    long double largest = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            long double sum = 0;
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += std::abs(static_cast<long double>(a.values[k]));
            largest = std::max(largest, sum);
        }
    });
    return largest;
}

TYPED_TEST(InfinityNorm, IsTheLargestRowSum) {
    using T = TypeParam;
    OpenMP one(1);
    for (const Index n : {1, 33, 1000}) {
        const HostCsr<T> a = random_csr<T>({.n_rows = n, .n_cols = n + 7, .full_row = n / 2, .seed = 1});
        const auto expected = static_cast<double>(largest_row_sum(a));
        const double norm = infinity_norm(one, a);
        EXPECT_TRUE(std::abs(norm - expected) <= n * std::numeric_limits<double>::epsilon() * expected) << norm;
        for (const int threads : {2, 3, 7}) {
            OpenMP backend(threads);
            EXPECT_EQ(infinity_norm(backend, a), norm) << threads;
        }
    }
    EXPECT_EQ(infinity_norm(one, HostCsr<T>{}), 0);
    EXPECT_EQ(infinity_norm(one, poisson2d<T>(one, 5, 7)), 8);
}

TYPED_TEST(InfinityNorm, KeepsANaN) {
    using T = TypeParam;
    for (const int threads : {1, 3}) {
        OpenMP backend(threads);
        for (const Size k : {Size{0}, Size{100}, Size{-1}}) {
            HostCsr<T> a = poisson2d<T>(backend, 9, 9);
            a.values[k < 0 ? a.nnz() - 1 : k] = std::numeric_limits<T>::quiet_NaN();
            EXPECT_TRUE(std::isnan(infinity_norm(backend, a))) << k;
        }
    }
}

}  // namespace
}  // namespace stiefel::test
