#include "stiefel/world/boundary_slices.hpp"

#include "support/backends.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

template <class T>
class BoundarySlicesOf : public ::testing::Test {};
TYPED_TEST_SUITE(BoundarySlicesOf, EveryType);

/// Rows of a rank of which some have columns of others.
template <class T>
struct BoundaryCase {
    HostCsr<T> beyond;
    HostVector<Index> boundary;
};

template <class T>
BoundaryCase<T> some_rows(Index n_rows, Index n_ghosts, double share, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); };
    std::vector<Index> rows;
    std::vector<std::vector<std::pair<Index, T>>> entries;
    for (Index row = 0; row < n_rows; ++row) {
        if (static_cast<double>(below(1000)) >= 1000 * share) continue;
        std::set<Index> ghosts;
        for (Index k = 0; k <= below(5); ++k) ghosts.insert(below(n_ghosts));
        rows.push_back(row);
        entries.emplace_back();
        for (const Index ghost : ghosts) entries.back().emplace_back(ghost, static_cast<T>(1 + below(100)));
    }
    BoundaryCase<T> made{{}, HostVector<Index>(static_cast<Size>(rows.size()))};
    std::copy(rows.begin(), rows.end(), made.boundary.begin());
    made.beyond.n_rows = static_cast<Index>(rows.size());
    made.beyond.n_cols = n_ghosts;
    made.beyond = csr_from_rows<T>(n_ghosts, entries);
    return made;
}

/// Each block's k-th part of its slices lies behind those of the blocks before it, and all k-th parts before the next.
inline void expect_in_runs(const std::vector<std::vector<Index>>& of_block, Index runs) {
    Index last = -1;
    for (Index run = 0; run < runs; ++run) {
        for (const auto& slices : of_block) {
            const auto n = static_cast<Index>(slices.size());
            for (Index k = n * run / runs; k < n * (run + 1) / runs; ++k) {
                EXPECT_LT(last, slices[static_cast<std::size_t>(k)]);
                last = slices[static_cast<std::size_t>(k)];
            }
        }
    }
}

/// Every slice is dealt out once, to blocks that have as many of each kind as others, but for one; the outer ones of a
/// block stand together, at warps that have no more slices than any other as far as there are such; every entry
/// comes up once, in a group of its row's slice, in its order.
template <class T>
void expect_whole(const BoundaryCase<T>& made, Index n_rows, const HostVector<Index>& row_of_slot, Index n_blocks,
                  Index warps, Index runs = 1) {
    const auto dealt = slice_boundary(made.beyond, made.boundary, n_rows, row_of_slot, n_blocks, warps, runs);
    const Index n_slices = (n_rows + 31) / 32, of_block = dealt.slices_of_block;
    ASSERT_EQ(of_block, most_slices_of_block(n_slices, n_blocks));
    ASSERT_EQ(dealt.slice.size(), Size{n_blocks} * of_block);
    ASSERT_EQ(dealt.outer.size(), Size{n_blocks} + 1);
    ASSERT_EQ(dealt.outer[0], 0);
    ASSERT_EQ(dealt.first_group.size(), Size{dealt.outer[n_blocks]} + 1);
    ASSERT_EQ(dealt.first_group[0], 0);
    ASSERT_EQ(dealt.first_group[dealt.outer[n_blocks]], dealt.n_groups());
    const auto row_at = [&](Size slot) { return row_of_slot.empty() ? static_cast<Index>(slot) : row_of_slot[slot]; };

    std::set<Index> slices;
    std::set<Index> n_inner, n_outer;
    std::vector<std::vector<Index>> inner_of(static_cast<std::size_t>(n_blocks));
    std::vector<std::vector<std::pair<Index, T>>> found(static_cast<std::size_t>(n_rows));
    for (Index block = 0; block < n_blocks; ++block) {
        const Index* const of_this = dealt.slice.data() + Size{block} * of_block;
        Index n = 0;
        for (; n < of_block && of_this[n] >= 0; ++n) ASSERT_TRUE(slices.insert(of_this[n]).second);
        ASSERT_TRUE(std::all_of(of_this + n, of_this + of_block, [](Index slice) { return slice == -1; }));
        const Index first = dealt.first_outer[block], of_outer = dealt.outer[block + 1] - dealt.outer[block];
        ASSERT_GE(first, 0);
        ASSERT_GE(of_outer, 0);
        ASSERT_LE(first + of_outer, n);
        n_inner.insert(n - of_outer);
        auto& inner = inner_of[static_cast<std::size_t>(block)];
        inner.assign(of_this, of_this + first);
        inner.insert(inner.end(), of_this + first + of_outer, of_this + n);
        EXPECT_TRUE(std::ranges::is_sorted(inner));
        n_outer.insert(of_outer);
        const Index with_one_more = n % warps;
        const bool has_room = of_outer <= n - with_one_more;  // in the rounds of all warps
        for (Index k = 0; has_room && k < std::min(of_outer, warps - with_one_more); ++k) {
            EXPECT_GE((first + of_outer - 1 - k) % warps, with_one_more);
        }
        for (Index k = 0; k < of_outer; ++k) {
            const Index begin = dealt.first_group[dealt.outer[block] + k],
                        end = dealt.first_group[dealt.outer[block] + k + 1];
            ASSERT_LT(begin, end);
            for (Index group = begin; group < end; ++group) {
                bool has_any = false;
                for (Index lane = 0; lane < 32; ++lane) {
                    const Size entry = Size{group} * 32 + lane;
                    if (dealt.ghost[entry] < 0) continue;
                    has_any = true;
                    const Index row = row_at(Size{of_this[first + k]} * 32 + lane);
                    ASSERT_LT(row, n_rows);
                    found[static_cast<std::size_t>(row)].emplace_back(dealt.ghost[entry], dealt.values[entry]);
                }
                ASSERT_TRUE(has_any);
            }
        }
    }
    EXPECT_EQ(static_cast<Index>(slices.size()), n_slices);
    expect_in_runs(inner_of, runs);
    EXPECT_LE(*n_inner.rbegin() - *n_inner.begin(), 1);
    EXPECT_LE(*n_outer.rbegin() - *n_outer.begin(), 1);

    std::vector<std::vector<std::pair<Index, T>>> expected(static_cast<std::size_t>(n_rows));
    made.beyond.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < made.beyond.n_rows; ++i) {
            auto& row = expected[static_cast<std::size_t>(made.boundary[i])];
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                row.emplace_back(made.beyond.col_idx[e], made.beyond.values[e]);
            }
        }
    });
    EXPECT_EQ(found, expected);
}

TYPED_TEST(BoundarySlicesOf, HoldEveryEntryWhereItsSliceIs) {
    using T = TypeParam;
    for (const Index n_rows : {1, 31, 32, 33, 1000, 5000}) {
        for (const double share : {0.0, 0.02, 0.5, 1.0}) {
            const auto made = some_rows<T>(n_rows, 40, share, 3);
            for (const auto& [blocks, warps] : {std::pair<Index, Index>{1, 1}, {1, 16}, {9, 16}, {7, 3}}) {
                SCOPED_TRACE(std::to_string(n_rows) + " rows, " + std::to_string(blocks) + " blocks");
                for (const Index runs : {1, 2, 5}) expect_whole(made, n_rows, {}, blocks, warps, runs);
            }
        }
    }
}

TYPED_TEST(BoundarySlicesOf, FollowRowsThatMoved) {
    using T = TypeParam;
    const Index n_rows = 1000;
    const auto made = some_rows<T>(n_rows, 40, 0.3, 5);
    HostVector<Index> row_of_slot(1024, n_rows);
    std::iota(row_of_slot.begin(), row_of_slot.begin() + n_rows, 0);
    std::shuffle(row_of_slot.begin(), row_of_slot.end(), std::mt19937_64(9));
    expect_whole(made, n_rows, row_of_slot, 5, 2);
}

}  // namespace
}  // namespace stiefel::test
