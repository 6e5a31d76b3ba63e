// Rows numbered anew within ranks: 1 to 4 of them that are threads, by random orders; about a third have no rows.
#include "stiefel/world/reordered_rows.hpp"

#include "support/thread_ranks.hpp"
#include "support/world_suite.hpp"

#include <map>
#include <optional>
#include <utility>

namespace stiefel::test {
namespace {

HostVector<Index> random_order(Index n, std::uint64_t seed) {
    HostVector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    return order;
}

/// What lies with a rank, and where it came from.
struct OfRank {
    SplitRows<double> rows;
    HostVector<Index> order;
};

std::vector<std::optional<OfRank>> reordered_by_chance(const HostCsr<double>& a, const RowBlocks& blocks) {
    std::vector<std::optional<OfRank>> all(static_cast<std::size_t>(blocks.n_ranks()));
    in_threads(blocks.n_ranks(), [&](Ranks& ranks) {
        const int rank = ranks.rank();
        OpenMP host(1);
        HostVector<Index> order = random_order(blocks.n_rows_of(rank), 11U + static_cast<unsigned>(rank));
        SplitRows<double> rows =
            reordered(ranks, host, blocks, split_rows(rows_of(a, blocks, rank), blocks, rank), order);
        all[static_cast<std::size_t>(rank)] = OfRank{std::move(rows), std::move(order)};
    });
    return all;
}

using Entries = std::map<std::pair<Size, Size>, double>;

Entries entries_of(const HostCsr<double>& a) {
    Entries entries;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) entries[{i, a.col_idx[k]}] = a.values[k];
        }
    });
    return entries;
}

bool has_ascending_columns(const HostCsr<double>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i] + 1; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k - 1] >= a.col_idx[k]) return false;
            }
        }
        return true;
    });
}

TEST(ReorderedRows, AreTheSameMatrixInAnotherOrder) {
    OpenMP host(1);
    const HostCsr<double> a = random_spd<double>(host, 120, {.degree = 5});
    for (const int n_ranks : {1, 2, 3, 4}) {
        for (const std::uint64_t seed : {3, 7}) {
            SCOPED_TRACE(n_ranks);
            const RowBlocks blocks = random_blocks(a.n_rows, n_ranks, seed);
            const auto all = reordered_by_chance(a, blocks);
            const auto before = [&](Size number) {
                const int rank = blocks.owner(number);
                const Size first = blocks.first(rank);
                return first + all[static_cast<std::size_t>(rank)]->order[number - first];
            };
            Entries back;
            for (int rank = 0; rank < n_ranks; ++rank) {
                const SplitRows<double>& rows = all[static_cast<std::size_t>(rank)]->rows;
                const Size first = blocks.first(rank);
                EXPECT_TRUE(has_ascending_columns(rows.own));
                EXPECT_TRUE(has_ascending_columns(rows.beyond));
                EXPECT_TRUE(std::is_sorted(rows.ghosts.begin(), rows.ghosts.end()));
                EXPECT_TRUE(std::is_sorted(rows.boundary.begin(), rows.boundary.end()));
                for (const auto& [place, value] : entries_of(rows.own))
                    back[{before(first + place.first), before(first + place.second)}] = value;
                for (const auto& [place, value] : entries_of(rows.beyond)) {
                    back[{before(first + rows.boundary[place.first]),
                          before(rows.ghosts[static_cast<std::size_t>(place.second)])}] = value;
                }
            }
            EXPECT_EQ(back, entries_of(a));
        }
    }
}

TEST(ReorderedRows, RefusesWhatIsNoOrder) {
    in_threads(1, [](Ranks& ranks) {
        OpenMP host(1);
        const HostCsr<double> a = random_spd<double>(host, 20, {.degree = 3});
        const RowBlocks blocks({0, 20});
        const auto rows = [&] { return split_rows(rows_of(a, blocks, 0), blocks, 0); };
        EXPECT_THROW(reordered(ranks, host, blocks, rows(), HostVector<Index>(20, 1)), InvalidArgument);
        EXPECT_THROW(reordered(ranks, host, blocks, rows(), HostVector<Index>()), InvalidArgument);
    });
}

}  // namespace
}  // namespace stiefel::test
