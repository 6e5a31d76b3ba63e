#include "stiefel/world/row_blocks.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {
namespace {

TEST(RowBlocks, FindTheOwnerOfEachRowPastRanksThatHaveNone) {
    const RowBlocks blocks({0, 0, 3, 3, 3, 5, 5});
    EXPECT_EQ(blocks.n_ranks(), 6);
    EXPECT_EQ(blocks.n_rows(), 5);
    for (const Size row : {0, 1, 2}) EXPECT_EQ(blocks.owner(row), 1);
    for (const Size row : {3, 4}) EXPECT_EQ(blocks.owner(row), 4);
    EXPECT_EQ(blocks.n_rows_of(1), 3);
    EXPECT_EQ(blocks.n_rows_of(5), 0);
}

TEST(RowBlocks, EvenOnesDifferByOneRow) {
    for (const Size n_rows : {0, 1, 3, 4, 7, 100}) {
        const RowBlocks blocks = RowBlocks::even(n_rows, 4);
        EXPECT_EQ(blocks.n_rows(), n_rows);
        for (int rank = 0; rank < 4; ++rank) {
            EXPECT_GE(blocks.n_rows_of(rank), n_rows / 4);
            EXPECT_LE(blocks.n_rows_of(rank), (n_rows + 3) / 4);
        }
    }
}

TEST(RowBlocks, CountMoreRowsThanOneRankCanHold) {
    const Size n_rows = Size{3} << 32;
    const RowBlocks blocks = RowBlocks::even(n_rows, 8);
    EXPECT_EQ(blocks.owner(n_rows - 1), 7);
    EXPECT_EQ(blocks.owner(blocks.first(3)), 3);
    EXPECT_THROW(RowBlocks::even(n_rows, 4), InvalidArgument);
}

TEST(RowBlocks, RefuseRowsThatDoNotAscend) {
    EXPECT_THROW(RowBlocks({0, 3, 2}), InvalidArgument);
    EXPECT_THROW(RowBlocks({1, 3}), InvalidArgument);
    EXPECT_THROW(RowBlocks(std::vector<Size>{0}), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
