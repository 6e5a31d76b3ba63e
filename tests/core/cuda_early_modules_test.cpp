// Modules of kernels that are loaded before they are used.

#include "stiefel/core/cuda/early_modules.hpp"
#include "stiefel/dense/vector_operations.hpp"

#include "support/cuda.hpp"

#include <atomic>

namespace stiefel::test {
namespace {

using CudaEarlyModules = OnCuda;

TEST_F(CudaEarlyModules, AreAskedForOneByOne) {
    std::atomic<int> asked = 0;
    load_early_modules(0, [&](EarlyUse) { return ++asked < 0; });
    const int all = asked.exchange(0);
    EXPECT_GE(all, 1) << "more, where a program has more kernels";
    load_early_modules(0, [&](EarlyUse) { return ++asked > 0; });
    EXPECT_EQ(asked, all);
    DeviceVector<double> x(backend(), 1000);
    fill(backend(), 2.0, x);
    EXPECT_EQ(dot(backend(), x, x), 4000.0);
}

/// Whoever needs the device will say what is wrong with it.
TEST_F(CudaEarlyModules, AreNotMissedWhereThereIsNoSuchDevice) {
    bool asked = false;
    load_early_modules(9999, [&](EarlyUse) { return asked = true; });
    EXPECT_FALSE(asked);
    DeviceVector<double> x(backend(), 10);
    fill(backend(), 1.0, x);
    EXPECT_EQ(dot(backend(), x, x), 10.0) << "no error is left behind";
}

}  // namespace
}  // namespace stiefel::test
