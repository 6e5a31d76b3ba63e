#include "stiefel/core/peak_flops.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/multiply_adds/multiply_adds.hpp"
#include "stiefel/core/timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace stiefel::test {
namespace {

template <class T>
class PeakFlops : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PeakFlops, Types);

TYPED_TEST(PeakFlops, EveryLaneIsMultipliedAndAddedTo) {
    using T = TypeParam;
    for (const MultiplyAdds<T>& kernel : runnable_multiply_adds<T>()) {
        const T lanes = static_cast<T>(kernel.flops / 2);
        const T start = kernel.run(0, T{0.5}, T{1});
        EXPECT_GT(start, 0);
        EXPECT_EQ(kernel.run(1, T{0}, T{3}), 3 * lanes) << "not every lane was added to";
        EXPECT_EQ(kernel.run(1, T{2}, T{0}), 2 * start) << "not every lane was multiplied";
        EXPECT_EQ(kernel.run(3, T{1}, T{1}), start + 3 * lanes) << "not every round was done";
        for (const Size rounds : {64, 65, 1000}) EXPECT_EQ(kernel.run(rounds, T{0.5}, T{1}), settled_sum(kernel));
    }
}

/// Flops per second of one multiplication and addition after the other, each waiting for the one before.
template <class T>
double rate_of_a_chain() {
    constexpr Size rounds = 200'000;
    const volatile T half = T{0.5}, one = T{1};
    double best = std::numeric_limits<double>::max();
    for (int pass = 0; pass < 20; ++pass) {
        T x = half;
        const T factor = half, addend = one;
        const Stopwatch watch;
        for (Size round = 0; round < rounds; ++round) x = x * factor + addend;
        best = std::min(best, watch.seconds());
        EXPECT_EQ(x, T{2});
    }
    return 2.0 * rounds / best;
}

// Below: a chain leaves a unit idle for the 3 cycles or more that it waits, in a lane of 2 or more. Above: no core
// begins more than 4 operations on 64 bytes in a cycle, of which there are less than 8e9 in a second. Work that the
// compiler leaves out, as its result is known, would be far above.
TYPED_TEST(PeakFlops, IsBetweenOneChainAndWhatNoCoreReaches) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "every access is checked, of registers as well";
#endif
    using T = TypeParam;
    const double most = 4 * 2 * 8e9 * 64 / sizeof(T);
    for (const int threads : {1, 2}) EXPECT_LT(peak_flops<T>(threads), threads * most);
    EXPECT_GT(peak_flops<T>(1), 2 * rate_of_a_chain<T>());
}

TYPED_TEST(PeakFlops, NeedsAThread) {
    EXPECT_THROW(peak_flops<TypeParam>(0), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
