#include "stiefel/world/halo.hpp"

#include "support/thread_ranks.hpp"

namespace stiefel::test {
namespace {

TEST(Halo, ThatGoesEndsWhatItBegan) {
    in_threads(2, [](Ranks& ranks) {
        const RowBlocks blocks({0, 1, 2});
        const auto own = static_cast<float>(ranks.rank() + 1);
        float ghost = 0;
        {
            Serial serial;
            Halo halo(ranks, blocks, {Size{1} - ranks.rank()});
            halo.begin(serial, HostMatrix<const float>{&own, 1, 1, 1}, &ghost);
        }
        EXPECT_EQ(ghost, 3 - own);
    });
}

}  // namespace
}  // namespace stiefel::test
