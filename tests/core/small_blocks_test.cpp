#include "stiefel/core/cuda/small_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace stiefel {
namespace {

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

/// Memory of the host in the place of a device's.
class SmallBlocksTest : public testing::Test {
protected:
    void* make_slab(Size bytes) {
        if (static_cast<int>(slabs_.size()) == most_slabs_) return nullptr;
        return slabs_
            .emplace_back(
                std::aligned_alloc(static_cast<std::size_t>(SmallBlocks::least_bytes), static_cast<std::size_t>(bytes)))
            .get();
    }
    bool lies_in_a_slab(const void* block, Size bytes) const {
        const auto* const begin = static_cast<const char*>(block);
        return std::any_of(slabs_.begin(), slabs_.end(), [&](const auto& slab) {
            const auto* const from = static_cast<const char*>(slab.get());
            return begin >= from && begin + bytes <= from + SmallBlocks::slab_bytes;
        });
    }

    int most_slabs_ = 100;
    std::vector<std::unique_ptr<void, Free>> slabs_;
    SmallBlocks blocks_{[this](Size bytes) { return make_slab(bytes); }};
};

Size bytes_of(std::size_t size_class) {
    return SmallBlocks::least_bytes << size_class;
}

TEST_F(SmallBlocksTest, ClassesHoldWhatIsAskedForAndLessThanTwiceThat) {
    for (const Size bytes : {1, 255, 256, 257, 512, 513, 1000, 1 << 19, (1 << 19) + 1, 1 << 20}) {
        const Size has = bytes_of(SmallBlocks::size_class(bytes));
        EXPECT_GE(has, bytes);
        EXPECT_LT(has, std::max(2 * bytes, 2 * SmallBlocks::least_bytes)) << bytes;
    }
    EXPECT_EQ(bytes_of(SmallBlocks::size_class(SmallBlocks::most_bytes)), SmallBlocks::most_bytes);
}

TEST_F(SmallBlocksTest, BlocksAreApartAndAligned) {
    std::vector<std::pair<char*, Size>> taken;
    for (int k = 0; k < 500; ++k) {
        const std::size_t size_class = SmallBlocks::size_class(1 + 977 * k);
        void* const block = blocks_.take(size_class);
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % static_cast<std::uintptr_t>(SmallBlocks::least_bytes), 0u);
        EXPECT_TRUE(lies_in_a_slab(block, bytes_of(size_class)));
        taken.emplace_back(static_cast<char*>(block), bytes_of(size_class));
    }
    std::sort(taken.begin(), taken.end());
    for (std::size_t k = 1; k < taken.size(); ++k) {
        EXPECT_LE(taken[k - 1].first + taken[k - 1].second, taken[k].first);
    }
    EXPECT_GT(slabs_.size(), 1u);
    EXPECT_EQ(blocks_.slabs().size(), slabs_.size());
}

TEST_F(SmallBlocksTest, WhatWasGivenBackIsTakenAgain) {
    const std::size_t small = SmallBlocks::size_class(1000), large = SmallBlocks::size_class(100000);
    void* const first = blocks_.take(small);
    void* const second = blocks_.take(large);
    blocks_.give(first, small);
    EXPECT_NE(blocks_.take(large), first) << "of another size";
    EXPECT_EQ(blocks_.take(small), first);
    blocks_.give(second, large);
    EXPECT_EQ(blocks_.take(large), second);
    for (int k = 0; k < 100000; ++k) blocks_.give(blocks_.take(large), large);
    EXPECT_EQ(slabs_.size(), 1u) << "a solve that allocates and frees for ever needs no more";
}

TEST_F(SmallBlocksTest, SaysSoWhereThereIsNoRoom) {
    most_slabs_ = 1;
    const std::size_t largest = SmallBlocks::size_class(SmallBlocks::most_bytes);
    std::vector<void*> taken;
    while (void* const block = blocks_.take(largest)) taken.push_back(block);
    EXPECT_EQ(static_cast<Size>(taken.size()), SmallBlocks::slab_bytes / SmallBlocks::most_bytes);
    EXPECT_EQ(blocks_.take(0), nullptr);
    blocks_.give(taken.back(), largest);
    EXPECT_EQ(blocks_.take(largest), taken.back());
    most_slabs_ = 2;
    EXPECT_NE(blocks_.take(0), nullptr) << "there is room again";
}

TEST_F(SmallBlocksTest, ThreadsNeverHaveTheSameBlock) {
    constexpr int n_threads = 4, n_rounds = 2000;
    const std::size_t size_class = SmallBlocks::size_class(4096);
    std::vector<int> clashes(n_threads, 0);
    std::vector<std::thread> threads;
    for (int number = 0; number < n_threads; ++number) {
        threads.emplace_back([&, number] {
            for (int round = 0; round < n_rounds; ++round) {
                auto* const block = static_cast<volatile int*>(blocks_.take(size_class));
                *block = number;
                std::this_thread::yield();
                clashes[static_cast<std::size_t>(number)] += *block == number ? 0 : 1;
                blocks_.give(const_cast<int*>(block), size_class);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(clashes, std::vector<int>(n_threads, 0));
}

}  // namespace
}  // namespace stiefel
