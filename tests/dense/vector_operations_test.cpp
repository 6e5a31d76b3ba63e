#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/dense/norm.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace stiefel {
namespace {

using test::random_vector;

template <class T>
class VectorOperations : public ::testing::Test {
protected:
    /// Runs f on every backend, OpenMP with several numbers of threads.
    template <class F>
    void on_all_backends(F&& f) {
        Serial serial;
        f(serial);
        for (int threads : {1, 2, 3, 7}) {
            OpenMP openmp(threads);
            f(openmp);
        }
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(VectorOperations, Types);

constexpr Size sizes[] = {0, 1, 31, 32, 33, 1000, 1024, 1025, 100003};

TYPED_TEST(VectorOperations, CopyFillScaleMoveEveryElement) {
    using T = TypeParam;
    for (Size n : sizes) {
        const HostVector<T> x = random_vector<T>(n, 1);
        this->on_all_backends([&](auto& backend) {
            HostVector<T> y(n, T{-5});
            copy(backend, x, y);
            for (Size i = 0; i < n; ++i) ASSERT_EQ(y[i], x[i]) << n << ' ' << i;
            scale(backend, -3, y);
            for (Size i = 0; i < n; ++i) ASSERT_EQ(y[i], x[i] / 8) << n << ' ' << i;
            fill(backend, T{7}, y);
            for (Size i = 0; i < n; ++i) ASSERT_EQ(y[i], T{7}) << n << ' ' << i;
        });
    }
}

TYPED_TEST(VectorOperations, DotIsWithinTheBoundOfASumInDouble) {
    using T = TypeParam;
    for (Size n : sizes) {
        const HostVector<T> x = random_vector<T>(n, 2);
        const HostVector<T> y = random_vector<T>(n, 3);
        long double exact = 0;
        long double magnitude = 0;
        for (Size i = 0; i < n; ++i) {
            const long double term = static_cast<long double>(x[i]) * y[i];
            exact += term;
            magnitude += std::abs(term);
        }
        const long double bound = static_cast<long double>(n + 1) * std::numeric_limits<double>::epsilon() * magnitude;
        this->on_all_backends([&](auto& backend) {
            const long double error = std::abs(dot(backend, x, y) - exact);
            EXPECT_TRUE(error <= bound) << "n = " << n << ", error " << error << ", bound " << bound;
        });
    }
}

TYPED_TEST(VectorOperations, DotRepeatsBitForBitOnAnyNumberOfThreads) {
    using T = TypeParam;
    const HostVector<T> x = random_vector<T>(300001, 4);
    OpenMP one(1);
    const double expected = dot(one, x, x);
    for (int threads : {2, 3, 7}) {
        OpenMP many(threads);
        EXPECT_EQ(dot(many, x, x), expected) << threads;
    }
}

TYPED_TEST(VectorOperations, MaxAbsSeesNanAndInfinity) {
    using T = TypeParam;
    for (Size n : {1, 33, 5000}) {
        HostVector<T> x = random_vector<T>(n, 5);
        x[n / 2] = T{-17};
        this->on_all_backends([&](auto& backend) { EXPECT_EQ(max_abs(backend, x), 17.0); });
        x[n / 2] = -std::numeric_limits<T>::infinity();
        this->on_all_backends([&](auto& backend) { EXPECT_TRUE(std::isinf(max_abs(backend, x))); });
        x[n - 1] = std::numeric_limits<T>::quiet_NaN();
        this->on_all_backends([&](auto& backend) { EXPECT_TRUE(std::isnan(max_abs(backend, x))); });
    }
}

TYPED_TEST(VectorOperations, NormHoldsAtBothEndsOfTheRange) {
    using T = TypeParam;
    const int largest = std::numeric_limits<T>::max_exponent - 2;
    for (int exponent : {0, 40, -40, largest, -largest}) {
        HostVector<T> x{std::ldexp(T{3}, exponent - 2), T{0}, std::ldexp(T{4}, exponent - 2)};
        const double expected = std::ldexp(1.25, exponent);
        this->on_all_backends(
            [&](auto& backend) { EXPECT_TRUE(std::abs(norm(backend, x) - expected) <= 4e-16 * expected) << exponent; });
    }
    const HostVector<T> nothing(0);
    const HostVector<T> zero(10, T{0});
    const HostVector<T> nan{T{1}, std::numeric_limits<T>::quiet_NaN()};
    this->on_all_backends([&](auto& backend) {
        EXPECT_EQ(norm(backend, nothing), 0.0);
        EXPECT_EQ(norm(backend, zero), 0.0);
        EXPECT_TRUE(std::isnan(norm(backend, nan)));
    });
}

TYPED_TEST(VectorOperations, NormsOfTwoAreThoseOfEach) {
    using T = TypeParam;
    const int largest = std::numeric_limits<T>::max_exponent - 2;
    const auto x = random_vector<T>(5000, 1), y = random_vector<T>(70, 2);
    const HostVector<T> huge{std::ldexp(T{3}, largest - 2), std::ldexp(T{4}, largest - 2)};
    const HostVector<T> nan{T{1}, std::numeric_limits<T>::quiet_NaN()};
    this->on_all_backends([&](auto& backend) {
        EXPECT_EQ(norms(backend, x, y), (std::array{norm(backend, x), norm(backend, y)}));
        EXPECT_EQ(norms(backend, huge, x), (std::array{norm(backend, huge), norm(backend, x)}));
        EXPECT_TRUE(std::isnan(norms(backend, x, nan)[1]));
        EXPECT_EQ(norms(backend, x, nan)[0], norm(backend, x));
    });
}

TYPED_TEST(VectorOperations, RefuseVectorsOfDifferentLength) {
    using T = TypeParam;
    const HostVector<T> x(3, T{1});
    HostVector<T> y(4, T{1});
    this->on_all_backends([&](auto& backend) {
        EXPECT_THROW(copy(backend, x, y), InvalidArgument);
        EXPECT_THROW(dot(backend, x, y), InvalidArgument);
    });
}

}  // namespace
}  // namespace stiefel
