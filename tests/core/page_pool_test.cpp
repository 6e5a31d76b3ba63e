#include "stiefel/core/page_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace stiefel::test {
namespace {

constexpr Size page = PagePool::page;

/// Writes all of it, and reads it again.
void expect_usable(void* block, Size bytes, int pattern) {
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % static_cast<std::uintptr_t>(page), 0u);
    std::memset(block, pattern, static_cast<std::size_t>(bytes));
    const auto* const found = static_cast<const unsigned char*>(block);
    for (Size i = 0; i < bytes; i += 4096) ASSERT_EQ(found[i], pattern) << i;
    ASSERT_EQ(found[bytes - 1], pattern);
}

TEST(PagePool, PagesOfFreedBlocksMakeOthers) {
    PagePool pool;
    std::vector<void*> small;
    for (int k = 0; k < 5; ++k) {
        small.push_back(pool.take(2 * page));
        expect_usable(small.back(), 2 * page, k);
    }
    for (int k = 0; k < 5; k += 2) EXPECT_TRUE(pool.give(small[static_cast<std::size_t>(k)]));
    EXPECT_EQ(pool.free_bytes(), 6 * page);
    void* const large = pool.take(7 * page);  // of three pieces that lie apart, and a new page
    EXPECT_EQ(pool.free_bytes(), 0);
    for (int k = 1; k < 5; k += 2) {  // those that are in use are left alone
        const auto* const kept = static_cast<const unsigned char*>(small[static_cast<std::size_t>(k)]);
        for (Size i = 0; i < 2 * page; i += 4096) ASSERT_EQ(kept[i], k);
    }
    expect_usable(large, 7 * page, 9);
    EXPECT_TRUE(pool.give(large));
    void* const parts[] = {pool.take(3 * page), pool.take(4 * page)};
    EXPECT_EQ(pool.free_bytes(), 0);
    expect_usable(parts[0], 3 * page, 1);
    expect_usable(parts[1], 4 * page, 2);
    expect_usable(parts[0], 3 * page, 3);
    EXPECT_EQ(static_cast<unsigned char*>(parts[1])[0], 2);
}

TEST(PagePool, TakesBackOnlyItsOwn) {
    PagePool pool;
    int other = 0;
    EXPECT_FALSE(pool.give(&other));
    void* const block = pool.take(page);
    EXPECT_TRUE(pool.give(block));
    EXPECT_FALSE(pool.give(block));
}

TEST(PagePool, GivesNothingWhereThereIsNone) {
    PagePool pool;
    EXPECT_EQ(pool.take(Size{1} << 60), nullptr);
    EXPECT_EQ(pool.free_bytes(), 0);
}

TEST(PagePool, ServesThreads) {
    PagePool pool;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 20; ++round) {
                const Size bytes = (1 + (t + round) % 4) * page;
                void* const block = pool.take(bytes);
                ASSERT_NE(block, nullptr);
                std::memset(block, t, static_cast<std::size_t>(bytes));
                for (Size i = 0; i < bytes; i += 4096) ASSERT_EQ(static_cast<unsigned char*>(block)[i], t);
                ASSERT_TRUE(pool.give(block));
            }
        });
    }
    for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace stiefel::test
