#include "stiefel/spmv/row_statistics.hpp"

#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stiefel::test {
namespace {

HostCsr<double> with_row_lengths(const std::vector<Index>& lengths) {
    std::vector<std::vector<std::pair<Index, double>>> rows;
    for (Index length : lengths) {
        rows.emplace_back();
        for (Index j = 0; j < length; ++j) rows.back().emplace_back(j, 1.0);
    }
    return csr_from_rows<double>(1000, rows);
}

TEST(RowStatistics, OfNoRowsAreZero) {
    OpenMP backend(2);
    for (const RowStatistics& s :
         {row_statistics(backend, with_row_lengths({})), row_statistics(backend, HostCsr<float>{})}) {
        EXPECT_EQ(s.longest, 0);
        EXPECT_EQ(s.longest_row, -1);
        EXPECT_EQ(s.mean, 0);
        EXPECT_EQ(s.deviation, 0);
    }
}

TEST(RowStatistics, AreThoseCountedByHand) {
    OpenMP backend(2);
    const RowStatistics s = row_statistics(backend, with_row_lengths({2, 0, 9, 4, 9, 0}));
    EXPECT_EQ(s.shortest, 0);
    EXPECT_EQ(s.longest, 9);
    EXPECT_EQ(s.longest_row, 2);
    EXPECT_EQ(s.n_empty, 2);
    EXPECT_EQ(s.median, 2);
    EXPECT_EQ(s.mean, 4);
    EXPECT_NEAR(s.deviation, std::sqrt((4 + 16 + 25 + 0 + 25 + 16) / 6.0), 1e-15);
}

TEST(RowStatistics, AgreeWithAPlainCountOnAnyNumberOfThreads) {
    Random random(5);
    for (Index n : {1, 31, 32, 33, 1000, 5000}) {
        std::vector<Index> lengths(static_cast<std::size_t>(n));
        for (Index& length : lengths) length = 1 + random.below(random.below(7) == 0 ? 300 : 12);
        const auto a = with_row_lengths(lengths);
        const long double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0L) / n;
        long double squares = 0;
        for (Index length : lengths) squares += (length - mean) * (length - mean);
        const auto deviation = static_cast<double>(std::sqrt(squares / n));
        std::vector<Index> sorted = lengths;
        std::sort(sorted.begin(), sorted.end());
        double first_deviation = -1;
        for (int threads : {1, 2, 3, 7}) {
            OpenMP backend(threads);
            for (const RowStatistics& s : {row_statistics(backend, a), row_statistics(backend, with_wide_offsets(a))}) {
                EXPECT_EQ(s.shortest, sorted.front());
                EXPECT_EQ(s.longest, sorted.back());
                EXPECT_EQ(s.longest_row, std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
                EXPECT_EQ(s.n_empty, 0);
                EXPECT_EQ(s.median, sorted[static_cast<std::size_t>((n - 1) / 2)]);
                EXPECT_EQ(s.mean, static_cast<double>(mean));
                EXPECT_NEAR(s.deviation, deviation, 1e-12 * deviation);
                EXPECT_TRUE(first_deviation < 0 || s.deviation == first_deviation) << "bits depend on the threads";
                first_deviation = s.deviation;
            }
        }
    }
}

}  // namespace
}  // namespace stiefel::test
