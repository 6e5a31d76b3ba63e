#include "stiefel/core/memory.hpp"

#include "stiefel/core/kept_memory.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// Page faults of allocating, touching and freeing so many bytes.
Size faults_of_using(Size bytes) {
    const auto faults = [] {
        struct rusage usage {};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_minflt;
    };
    const Size before = faults();
    HostVector<char> v(bytes);
    for (Size i = 0; i < bytes; i += 4096) *static_cast<volatile char*>(v.data() + i) = 1;
    return faults() - before;
}

/// In a process of its own, whose setting it is.
TEST(HostVectorDeathTest, FreedMemoryMayBeKept) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer's allocator decides for itself";
#endif
    const auto use_twice = [] {
        keep_freed_memory();
        constexpr Size bytes = Size{48} << 20;
        const Size first = faults_of_using(bytes);
        const Size available = available_memory();
        const Size second = faults_of_using(bytes);
        const Size parts = faults_of_using(bytes / 3) + faults_of_using(bytes / 2);
        const bool keeps = first > 0 && 4 * second <= first && 4 * parts <= first && available >= bytes;
        std::_Exit(keeps ? 0 : 1);
    };
    EXPECT_EXIT(use_twice(), testing::ExitedWithCode(0), "");
}

TEST(HostVector, LentMemoryStaysTheLenders) {
    std::vector<double> owned{1, 2, 3, 4};
    const auto guard = std::make_shared<int>(0);
    {
        auto v = HostVector<double>::lent(owned.data() + 1, 3, guard);
        EXPECT_EQ(v.data(), owned.data() + 1);
        EXPECT_EQ(guard.use_count(), 2);
        HostVector<double> moved = std::move(v);
        moved[2] = 9;
        EXPECT_EQ(moved.clone()[0], 2.0);
        v = std::move(moved);
        EXPECT_EQ(guard.use_count(), 2);
        const auto constant = HostVector<double>::lent(std::as_const(owned).data(), 4);
        EXPECT_EQ(constant[3], 9.0);
        v = HostVector<double>(5);
        EXPECT_EQ(guard.use_count(), 1);
    }
    EXPECT_EQ(owned, (std::vector<double>{1, 2, 3, 9}));
}

TEST(HostVector, LentMemoryMustSuitItsElements) {
    alignas(16) char bytes[64] = {};
    auto* const off = reinterpret_cast<double*>(bytes + 3);
    try {
        static_cast<void>(HostVector<double>::lent(off, 2));
        FAIL() << "took an address that is no multiple of 8";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("3 bytes behind a multiple of 8"), std::string::npos) << error.what();
    }
    EXPECT_THROW(static_cast<void>(HostVector<double>::lent(reinterpret_cast<double*>(bytes), -1)), InvalidArgument);
    EXPECT_EQ(HostVector<double>::lent(static_cast<double*>(nullptr), 0).size(), 0);
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
