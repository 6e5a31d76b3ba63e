// Rows put with other ranks: 1 to 4 of them that are threads, by random partitions that leave one without rows.
#include "stiefel/world/partition.hpp"

#include "stiefel/core/random.hpp"
#include "stiefel/problems/problem_list.hpp"
#include "stiefel/world/halo.hpp"
#include "support/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using Entries = std::map<std::pair<Size, Size>, double>;

/// What lies with which rank after a partition.
struct Outcome {
    std::vector<std::optional<PartitionedRows>> of_ranks;
    std::vector<std::vector<Size>> sent_before;  ///< as each rank was told
    std::vector<Size> sent;                      ///< by the halo of each
};

RowSource graph() {
    ProblemArguments arguments(find_problem("random_spd"));
    arguments.set("n", 120);
    return find_problem("random_spd").source(arguments);
}

/// Of the rows that lie evenly, each goes to a rank by chance, but for the second, where there is one.
Outcome part_by_chance(const RowSource& source, int n_ranks) {
    Outcome all;
    all.of_ranks.resize(static_cast<std::size_t>(n_ranks));
    all.sent_before.resize(all.of_ranks.size());
    all.sent.resize(all.of_ranks.size());
    in_threads(n_ranks, [&](Ranks& ranks) {
        const auto r = static_cast<std::size_t>(ranks.rank());
        OpenMP host(1);
        const RowBlocks blocks = RowBlocks::even(source.n_rows, n_ranks);
        WorldRows<double> rows = source.rows(host, blocks.first(ranks.rank()), blocks.first(ranks.rank() + 1));
        HostVector<Index> part(rows.n_rows());
        for (Index i = 0; i < part.size(); ++i) {
            part[i] = static_cast<Index>(RandomRow(7, blocks.first(ranks.rank()) + i).below(0, n_ranks));
            if (part[i] == 1) part[i] = 0;
        }
        all.sent_before[r] = elements_sent(ranks, blocks, rows, part);
        all.of_ranks[r] = partitioned(ranks, blocks, std::move(rows), part);
        const PartitionedRows& here = *all.of_ranks[r];
        const SplitRows<double> split = split_rows(here.rows, here.blocks, ranks.rank());
        all.sent[r] = Halo(ranks, here.blocks, split.ghosts).n_sent();
    });
    return all;
}

Entries entries_of(const WorldRows<double>& rows, Size first) {
    Entries entries;
    for (Index i = 0; i < rows.n_rows(); ++i) {
        for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k)
            entries[{first + i, rows.col_idx[k]}] = rows.values[k];
    }
    return entries;
}

TEST(Partition, PermutesRowsAndColumnsAlike) {
    const RowSource source = graph();
    OpenMP host(1);
    const Entries whole = entries_of(source.rows(host, 0, source.n_rows), 0);
    for (const int n_ranks : {1, 2, 3, 4}) {
        SCOPED_TRACE(n_ranks);
        const Outcome outcome = part_by_chance(source, n_ranks);
        std::vector<Size> before;
        for (const auto& of_rank : outcome.of_ranks) {
            before.insert(before.end(), of_rank->before.begin(), of_rank->before.end());
            EXPECT_TRUE(std::is_sorted(of_rank->before.begin(), of_rank->before.end()));
        }
        ASSERT_EQ(static_cast<Size>(before.size()), source.n_rows);
        if (n_ranks > 1) {
            EXPECT_EQ(outcome.of_ranks[1]->rows.n_rows(), 0);
        }
        Entries back;
        for (int r = 0; r < n_ranks; ++r) {
            const PartitionedRows& of_rank = *outcome.of_ranks[static_cast<std::size_t>(r)];
            for (const auto& [place, value] : entries_of(of_rank.rows, of_rank.blocks.first(r))) {
                back[{before[static_cast<std::size_t>(place.first)], before[static_cast<std::size_t>(place.second)]}] =
                    value;
            }
        }
        EXPECT_EQ(back, whole);
        for (const std::vector<Size>& told : outcome.sent_before) EXPECT_EQ(told, outcome.sent);
    }
}

/// Two interleaved chains, each with a rank: rows are coupled to the next of their own chain, and across, less or more.
Size torn_of_chains(double along, double across) {
    constexpr Index half = 20;
    Size torn = -1;
    in_threads(2, [&](Ranks& ranks) {
        const RowBlocks blocks = RowBlocks::even(2 * half, 2);
        const Size first = blocks.first(ranks.rank()), other = half - first;
        WorldRows<double> rows{HostVector<Size>(half + 1), HostVector<Size>(3 * half), HostVector<double>(3 * half)};
        rows.row_ptr[0] = 0;
        for (Index i = 0; i < half; ++i) {
            // The second chain's rows are scaled by 10, which changes nothing.
            const auto scale = [&](Size row) { return row < half ? 1.0 : 10.0; };
            std::map<Size, double> entries{
                {first + i, 3}, {first + (i % 2 == 0 ? i + 1 : i - 1), -along}, {other + i, -across}};
            Size k = rows.row_ptr[i];
            for (const auto& [column, value] : entries) {
                rows.col_idx[k] = column;
                rows.values[k++] = value * scale(first) * scale(column);
            }
            rows.row_ptr[i + 1] = k;
        }
        const Size here = rows_torn(ranks, blocks, rows);
        if (ranks.rank() == 0) torn = here;
    });
    return torn;
}

TEST(Partition, RowsAreTornFromWhatTheyAreCoupledToMost) {
    EXPECT_EQ(torn_of_chains(1, 0.9), 0);
    EXPECT_EQ(torn_of_chains(1, 1), 0);
    EXPECT_EQ(torn_of_chains(0.9, 1), 40);
}

}  // namespace
}  // namespace stiefel::test
