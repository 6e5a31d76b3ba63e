#include "support/world_suite.hpp"

namespace stiefel::test {
namespace {

TEST(SplitRows, KeepsEachEntryOnceAndNumbersOnlyWhatIsThere) {
    OpenMP host(1);
    const HostCsr<double> a = random_spd<double>(host, 120, {.degree = 5});
    for (const int n_ranks : {1, 2, 5}) {
        const RowBlocks blocks = random_blocks(a.n_rows, n_ranks, 7);
        Size nnz = 0;
        for (int rank = 0; rank < n_ranks; ++rank) {
            const SplitRows<double> split = split_rows(rows_of(a, blocks, rank), blocks, rank);
            nnz += split.own.nnz() + split.beyond.nnz();
            EXPECT_EQ(split.own.n_cols, blocks.n_rows_of(rank));
            EXPECT_EQ(split.beyond.n_rows, split.boundary.size());
            EXPECT_EQ(split.beyond.n_cols, static_cast<Index>(split.ghosts.size()));
            std::vector<bool> is_used(split.ghosts.size());
            for (const Index column : split.beyond.col_idx) is_used[static_cast<std::size_t>(column)] = true;
            EXPECT_EQ(std::count(is_used.begin(), is_used.end(), false), 0);
            for (const Size ghost : split.ghosts) EXPECT_NE(blocks.owner(ghost), rank);
            split.beyond.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < split.beyond.n_rows; ++i) EXPECT_LT(row_ptr[i], row_ptr[i + 1]);
            });
        }
        EXPECT_EQ(nnz, a.nnz());
    }
}

TEST(SplitRows, NumbersColumnsBeyond31Bits) {
    const Size much = 2'000'000'000, first = 2 * much, n = 4 * much;
    const RowBlocks blocks({0, much, first, first + 2, 3 * much, n});
    WorldRows<float> rows{HostVector<Size>(3), HostVector<Size>(3), HostVector<float>(3)};
    const Size ends[] = {0, 2, 3}, columns[] = {5, first, n - 1};
    std::copy_n(ends, 3, rows.row_ptr.data());
    std::copy_n(columns, 3, rows.col_idx.data());
    std::fill(rows.values.begin(), rows.values.end(), 1.0F);
    const SplitRows<float> split = split_rows(rows, blocks, 2);
    EXPECT_EQ(split.ghosts, (std::vector<Size>{5, n - 1}));
    EXPECT_EQ(split.own.nnz(), 1);
    EXPECT_EQ(split.own.col_idx[0], 0);
    EXPECT_EQ(split.beyond.col_idx[0], 0);
    EXPECT_EQ(split.beyond.col_idx[1], 1);
    EXPECT_EQ(split.boundary[1], 1);
}

TEST(SplitRows, RefusesColumnsThatAreNotThere) {
    const RowBlocks blocks({0, 1, 2});
    WorldRows<double> rows{HostVector<Size>(2), HostVector<Size>(1), HostVector<double>(1)};
    rows.row_ptr[0] = 0;
    rows.row_ptr[1] = 1;
    rows.values[0] = 1;
    for (const Size column : {-1, 2}) {
        rows.col_idx[0] = column;
        EXPECT_THROW(split_rows(rows, blocks, 0), InvalidArgument);
    }
    rows.col_idx[0] = 1;
    EXPECT_EQ(split_rows(rows, blocks, 0).ghosts.size(), 1U);
}

TEST(SplitRows, TakesColumnsThatAreHeldOtherwiseThanRows) {
    WorldRows<double> rows{HostVector<Size>(2), HostVector<Size>(1), HostVector<double>(1)};
    rows.row_ptr[0] = 0;
    rows.row_ptr[1] = 1;
    rows.col_idx[0] = 1;
    rows.values[0] = 1;
    const SplitRows<double> split = split_rows(rows, RowBlocks({0, 2, 2}), 0);
    EXPECT_EQ(split.own.n_rows, 1);
    EXPECT_EQ(split.own.n_cols, 2);
    EXPECT_EQ(split.own.nnz(), 1);
    EXPECT_TRUE(split.ghosts.empty());
}

}  // namespace
}  // namespace stiefel::test
