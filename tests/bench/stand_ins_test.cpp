#include "bench/suites/stand_ins.hpp"

#include "bench/suites/row_lengths.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace stiefel::bench {

namespace {

/// Those that are made in a fraction of a second; the others differ by their sizes only.
std::vector<StandIn> small_ones() {
    std::vector<StandIn> list(stand_ins().begin(), stand_ins().end());
    std::erase_if(list, [](const StandIn& m) { return m.entries() > 5000000; });
    return list;
}

bool has_diagonal_entry(const HostCsr<double>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) return true;
            }
        }
        return false;
    });
}

TEST(StandIns, AreThirty) {
    EXPECT_EQ(stand_ins().size(), 30u);
    EXPECT_EQ(find_stand_in("webbase-1M").rows, 1000005);
    EXPECT_THROW(find_stand_in("cage5"), InvalidArgument);
}

TEST(StandIns, HaveTheRowsEntriesZerosAndSymmetryOfTheirs) {
    OpenMP backend;
    for (const StandIn& m : small_ones()) {
        SCOPED_TRACE(std::string(m.name));
        const HostCsr<double> a = make_stand_in(backend, m);
        EXPECT_EQ(a.n_rows, m.rows);
        EXPECT_EQ(a.n_cols, m.rows);
        EXPECT_EQ(a.nnz(), m.entries());
        EXPECT_EQ(std::count(a.values.begin(), a.values.end(), 0.0), m.zeros);
        if (m.is_symmetric()) {
            const HostCsr<double> transposed = transpose(backend, a);
            EXPECT_TRUE(std::ranges::equal(a.col_idx.span(), transposed.col_idx.span()));
            EXPECT_TRUE(std::ranges::equal(a.values.span(), transposed.values.span()));
            EXPECT_EQ(has_diagonal_entry(a), m.symmetry == StandInSymmetry::symmetric);
        }
    }
}

/// The bounds that docs/performance/suites.md states.
TEST(StandIns, HaveNearlyTheRowStatisticsOfTheirs) {
    OpenMP backend;
    for (const StandIn& m : small_ones()) {
        SCOPED_TRACE(std::string(m.name));
        const RowStatistics rows = row_statistics(backend, make_stand_in(backend, m));
        const bool exact = !m.is_symmetric();
        EXPECT_NEAR(rows.shortest, m.shortest, exact ? 0 : 2);
        EXPECT_NEAR(rows.longest, m.longest, exact ? 0 : 1);
        EXPECT_NEAR(rows.deviation, m.deviation, 0.3 + 0.15 * m.deviation);
    }
}

TEST(StandIns, AreTheSameOnAnyNumberOfThreads) {
    OpenMP one(1), three(3);
    for (const char* name : {"west2021", "bcsstk17"}) {
        const HostCsr<double> a = make_stand_in(one, find_stand_in(name));
        const HostCsr<double> b = make_stand_in(three, find_stand_in(name));
        EXPECT_TRUE(std::ranges::equal(a.col_idx.span(), b.col_idx.span())) << name;
        EXPECT_TRUE(std::ranges::equal(a.values.span(), b.values.span())) << name;
    }
}

TEST(RowLengths, HaveTheSumWhateverTheShape) {
    const RowLengthTargets shapes[] = {
        {.rows = 1000, .entries = 5000, .shortest = 5, .longest = 5, .deviation = 0},
        {.rows = 1000, .entries = 2000, .shortest = 1, .longest = 900, .deviation = 29},
        {.rows = 1000, .entries = 9990, .shortest = 0, .longest = 10, .deviation = 0.2},
        {.rows = 7, .entries = 20, .shortest = 1, .longest = 6, .deviation = 2, .run = 3},
    };
    for (const RowLengthTargets& shape : shapes) {
        const HostVector<Index> lengths = row_lengths(shape);
        EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), Size{0}), shape.entries);
        EXPECT_EQ(*std::min_element(lengths.begin(), lengths.end()), shape.shortest);
        EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), shape.longest);
    }
}

}  // namespace

}  // namespace stiefel::bench
