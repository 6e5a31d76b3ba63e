#include "stiefel/core/memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace stiefel {
namespace {

TEST(HostVector, MovesWithoutCopying) {
    HostVector<double> a{1, 2, 3};
    const double* data = a.data();
    HostVector<double> b = std::move(a);
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.size(), 3);
    EXPECT_EQ(a.size(), 0);  // NOLINT: the moved-from state is part of the contract
    EXPECT_EQ(a.data(), nullptr);
}

TEST(HostVector, CloneIsIndependent) {
    HostVector<float> a{1, 2};
    HostVector<float> b = a.clone();
    b[0] = 7;
    EXPECT_EQ(a[0], 1.0f);
    EXPECT_EQ(b[1], 2.0f);
}

TEST(HostVector, IsAlignedForVectorLoads) {
    for (Size n : {1, 31, 1000, 1 << 20}) {
        HostVector<float> v(n);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0u) << n;
    }
}

TEST(HostVector, RefusesMoreThanTheMachineHas) {
    try {
        HostVector<double> v(Size{1} << 50);
        FAIL() << "allocated 8 PiB";
    } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.bytes_asked(), Size{1} << 53);
        EXPECT_GT(error.bytes_free(), 0);
    }
    EXPECT_THROW(HostVector<double>(Size{1} << 61), InvalidArgument);
}

}  // namespace
}  // namespace stiefel
