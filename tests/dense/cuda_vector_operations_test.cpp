#include "stiefel/dense/norm.hpp"
#include "stiefel/dense/vector_operations.hpp"

#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace stiefel::test {
namespace {

constexpr Size sizes[] = {0, 1, 2, 3, 31, 32, 33, 1000, 100003};

template <class T>
class CudaVectorOperations : public OnCuda {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaVectorOperations, Types);

TYPED_TEST(CudaVectorOperations, CopyFillScaleMoveEveryElement) {
    using T = TypeParam;
    for (Size n : sizes) {
        const auto x = random_vector<T>(n, 1);
        const auto from = this->to_device(x);
        auto to = this->to_device(HostVector<T>(n, T{-5}));
        copy(this->backend(), from, to);
        scale(this->backend(), -3, to);
        auto y = this->to_host(to);
        for (Size i = 0; i < n; ++i) ASSERT_EQ(y[i], x[i] / 8) << n << ' ' << i;
        fill(this->backend(), T{7}, to);
        y = this->to_host(to);
        for (Size i = 0; i < n; ++i) ASSERT_EQ(y[i], T{7}) << n << ' ' << i;
    }
    DeviceVector<T> two(this->backend(), 2), three(this->backend(), 3);
    EXPECT_THROW(copy(this->backend(), two, three), InvalidArgument);
    EXPECT_THROW(dot(this->backend(), two, three), InvalidArgument);
}

TYPED_TEST(CudaVectorOperations, DotIsWithinTheBoundOfASumInDouble) {
    using T = TypeParam;
    for (Size n : sizes) {
        const auto x = random_vector<T>(n, 1);
        const auto y = random_vector<T>(n, 2);
        long double exact = 0, absolutes = 0;
        for (Size i = 0; i < n; ++i) {
            exact += static_cast<long double>(x[i]) * y[i];
            absolutes += std::abs(static_cast<long double>(x[i]) * y[i]);
        }
        const double computed = dot(this->backend(), this->to_device(x), this->to_device(y));
        EXPECT_TRUE(std::abs(computed - exact) <=
                    static_cast<long double>(n) * std::numeric_limits<double>::epsilon() * absolutes)
            << n;
    }
}

TYPED_TEST(CudaVectorOperations, MaxAbsFindsTheLargestAndNan) {
    using T = TypeParam;
    for (Size n : sizes) {
        auto x = random_vector<T>(n, 3);
        double largest = 0;
        for (T value : x) largest = std::max(largest, std::abs(static_cast<double>(value)));
        EXPECT_EQ(max_abs(this->backend(), this->to_device(x)), largest) << n;
        if (n == 0) continue;
        x[n / 2] = std::numeric_limits<T>::infinity();
        EXPECT_EQ(max_abs(this->backend(), this->to_device(x)), std::numeric_limits<double>::infinity());
        x[n - 1] = std::numeric_limits<T>::quiet_NaN();
        EXPECT_TRUE(std::isnan(max_abs(this->backend(), this->to_device(x))));
    }
}

TYPED_TEST(CudaVectorOperations, NormHoldsWhereSquaresLeaveTheRange) {
    using T = TypeParam;
    const T tiny = std::numeric_limits<T>::min();
    EXPECT_NEAR(norm(this->backend(), this->to_device(HostVector<T>{3 * tiny, 4 * tiny})) / (5.0 * tiny), 1, 1e-6);
}

TYPED_TEST(CudaVectorOperations, NormsOfTwoAreThoseOfEach) {
    using T = TypeParam;
    const T tiny = std::numeric_limits<T>::min();
    const auto small = this->to_device(HostVector<T>{3 * tiny, 4 * tiny});
    for (Size n : sizes) {
        const auto x = this->to_device(random_vector<T>(n, 1)), y = this->to_device(random_vector<T>(n / 2, 2));
        const double of_x = norm(this->backend(), x), of_y = norm(this->backend(), y);
        EXPECT_EQ(norms(this->backend(), x, y), (std::array{of_x, of_y})) << n;
        EXPECT_EQ(norms(this->backend(), small, y), (std::array{norm(this->backend(), small), of_y})) << n;
    }
}

}  // namespace
}  // namespace stiefel::test
