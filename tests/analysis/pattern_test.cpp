// Where entries lie, and how long rows are: what a report draws.

#include "stiefel/analysis/pattern_raster.hpp"
#include "stiefel/analysis/row_length_histogram.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>

namespace stiefel::test {
namespace {

using Rows = std::vector<std::vector<std::pair<Index, double>>>;

TEST(RasterAxis, CutsEverySizeWithoutGaps) {
    for (Index size : {1, 2, 63, 64, 65, 1000, 12345, 100'000'007, std::numeric_limits<Index>::max()}) {
        for (Index most : {1, 2, 64, 96, 4096}) {
            const RasterAxis axis(size, most);
            ASSERT_EQ(axis.cells(), std::min(size, most));
            ASSERT_EQ(axis.first_of(0), 0);
            ASSERT_EQ(axis.first_of(axis.cells()), size);
            const Index even = size / axis.cells();
            for (Index cell = 0; cell < axis.cells(); ++cell) {
                const Index first = axis.first_of(cell), length = axis.length_of(cell);
                ASSERT_EQ(axis.cell_of(first), cell) << size << " in " << most;
                ASSERT_EQ(axis.cell_of(first + length - 1), cell) << size << " in " << most;
                ASSERT_NEAR(length, even, 1 + 1e-4 * even) << size << " in " << most;
            }
        }
    }
    EXPECT_EQ(RasterAxis(0, 64).cells(), 0);
    EXPECT_NE(refusal([] { RasterAxis(10, 0); }), "");
    EXPECT_NE(refusal([] { RasterAxis(10, 5000); }), "");
}

TEST(PatternRaster, OfASmallMatrixHasACellAnEntry) {
    OpenMP backend(2);
    const PatternRaster raster =
        pattern_raster(backend, csr_from_rows<double>(4, Rows{{{0, 1.0}, {3, 0.0}}, {}, {{2, 5.0}}}));
    EXPECT_EQ(raster.rows.cells(), 3);
    EXPECT_EQ(raster.columns.cells(), 4);
    EXPECT_EQ(raster.counts, (std::vector<Size>{1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0}));
    EXPECT_EQ(raster.density(0, 3), 1.0);
    EXPECT_EQ(raster.density(1, 3), 0.0);
}

TEST(PatternRaster, CountsEveryEntryOnceOnAnyNumberOfThreads) {
    OpenMP one(1);
    const auto a = power_law_rows<float>(one, 5000, 3000);
    const PatternRaster expected = pattern_raster(one, a, 70);
    EXPECT_EQ(std::accumulate(expected.counts.begin(), expected.counts.end(), Size{0}), a.nnz());
    for (int threads : {2, 3, 7}) {
        OpenMP backend(threads);
        EXPECT_EQ(pattern_raster(backend, a, 70).counts, expected.counts) << threads;
    }
    std::vector<Size> plain(70 * 70);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
                ++plain[static_cast<std::size_t>(expected.rows.cell_of(i) * 70 +
                                                 expected.columns.cell_of(a.col_idx[k]))];
        }
    });
    EXPECT_EQ(expected.counts, plain);
}

TEST(PatternRaster, OfNoEntriesAndNoRows) {
    OpenMP backend(2);
    const PatternRaster empty = pattern_raster(backend, csr_from_rows<double>(2, Rows{{}, {}}));
    EXPECT_EQ(empty.counts, std::vector<Size>(4));
    EXPECT_TRUE(pattern_raster(backend, csr_from_rows<double>(0, Rows{})).counts.empty());
}

/// "2:1 3:98": the lengths of each bin that is not empty, and its rows. Fails if bins leave a gap or lose a row.
std::string bins_of(const RowOffsets<HostMemory>& row_ptr) {
    OpenMP backend(2);
    const RowLengthHistogram histogram = row_length_histogram(row_ptr, row_statistics(backend, row_ptr));
    std::string text = histogram.is_logarithmic ? "log" : "";
    Size rows = 0;
    Index next = histogram.bins.empty() ? 0 : histogram.bins.front().first;
    for (const auto& bin : histogram.bins) {
        EXPECT_EQ(bin.first, next);
        EXPECT_GE(bin.last, bin.first);
        next = bin.last + 1;
        rows += bin.rows;
        if (bin.rows == 0) continue;
        text += (text.empty() ? "" : " ") + std::to_string(bin.first);
        if (bin.last > bin.first) text += "-" + std::to_string(bin.last);
        text += ":" + std::to_string(bin.rows);
    }
    EXPECT_EQ(rows, row_ptr.size() - 1);
    return text;
}

/// Offsets of rows of these lengths.
RowOffsets<HostMemory> rows_of(const std::vector<Index>& lengths) {
    HostVector<std::int32_t> row_ptr(static_cast<Size>(lengths.size()) + 1);
    row_ptr[0] = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        row_ptr[static_cast<Size>(i) + 1] = row_ptr[static_cast<Size>(i)] + lengths[i];
    return RowOffsets<HostMemory>(std::move(row_ptr));
}

TEST(RowLengths, HaveABinEachWhereTheyAreFew) {
    OpenMP backend(2);
    EXPECT_EQ(bins_of(poisson1d<double>(backend, 100).row_ptr), "2:2 3:98");
    EXPECT_EQ(bins_of(rows_of({0, 0, 0})), "0:3");
    EXPECT_EQ(bins_of(rows_of({40, 41, 41, 71})), "40:1 41:2 71:1");
    EXPECT_EQ(bins_of(rows_of({})), "");
}

TEST(RowLengths, ShareBinsOfOneWidthWhereTheyAreMany) {
    EXPECT_EQ(bins_of(rows_of({100, 101, 102, 163})), "100-101:2 102-103:1 162-163:1");
    EXPECT_EQ(bins_of(rows_of({5, 38})), "5-6:1 37-38:1");
}

TEST(RowLengths, GrowByOctavesWhereTheyRangeFar) {
    EXPECT_EQ(bins_of(rows_of({0, 1, 2, 3, 4, 7, 8, 40})), "log 0:1 1:1 2-3:2 4-7:2 8-15:1 32-63:1");
    const Index most = std::numeric_limits<Index>::max() - 8;
    const RowLengthHistogram histogram =
        row_length_histogram(rows_of({most, 3}), {.shortest = 3, .longest = most, .longest_row = 0});
    ASSERT_EQ(histogram.bins.size(), 30u);
    EXPECT_EQ(histogram.bins.back().last, std::numeric_limits<Index>::max());
    EXPECT_EQ(histogram.bins.back().rows, 1);
}

}  // namespace
}  // namespace stiefel::test
