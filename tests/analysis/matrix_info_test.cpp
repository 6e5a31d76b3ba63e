#include "stiefel/analysis/matrix_info.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/problems/random_csr.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "support/csr_checks.hpp"
#include "support/formats.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace stiefel::test {
namespace {

using Rows = std::vector<std::vector<std::pair<Index, double>>>;

TEST(Band, MeasuresHowFarEntriesReach) {
    OpenMP backend(2);
    const BandInfo poisson = analyse_band(backend, poisson2d<double>(backend, 4, 3));
    EXPECT_EQ(poisson.lower, 4);
    EXPECT_EQ(poisson.upper, 4);
    EXPECT_EQ(poisson.profile, 3 + 8 * 4);  // the first grid row's own neighbours, then a row above each
    const auto a = csr_from_rows<double>(5, Rows{{{3, 1}}, {{0, 1}, {4, 1}}, {}, {{4, 1}}});
    const BandInfo band = analyse_band(backend, a);
    EXPECT_EQ(band.lower, 1);
    EXPECT_EQ(band.upper, 3);
    EXPECT_EQ(band.profile, 1);
}

TEST(Values, TalliesZerosAndWhatIsNotFinite) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (int threads : {1, 2, 3, 7}) {
        OpenMP backend(threads);
        const auto a = csr_from_rows<double>(
            4, Rows{{{0, 2}, {2, 0.0}}, {{1, -0.5}, {3, -0.0}}, {}, {{0, -9}, {1, nan}, {2, -inf}}, {{3, inf}}});
        const ValueInfo info = analyse_values(backend, a);
        EXPECT_EQ(info.non_finite.count, 3);
        EXPECT_EQ(info.non_finite.first_row, 3);
        EXPECT_EQ(info.non_finite.first_col, 1);
        EXPECT_EQ(info.zero.count, 2);
        EXPECT_EQ(info.zero.first_row, 0);
        EXPECT_EQ(info.zero.first_col, 2);
        EXPECT_EQ(info.max_abs, 9);
        EXPECT_EQ(info.min_abs, 0.5);
    }
}

template <class T>
void expect_bytes_of_conversions(const HostCsr<T>& a) {
    OpenMP backend(3);
    const Size value_bytes = sizeof(T);
    EXPECT_EQ(FormatTraits<Csr>::size(backend, a, {}).bytes(value_bytes), a.bytes());
    for (const EllpackLayout layout : {EllpackLayout::row_major, EllpackLayout::column_major}) {
        EXPECT_EQ(FormatTraits<Ellpack>::size(backend, a, layout).bytes(value_bytes),
                  ellpack_from_csr(backend, a, layout, no_limit).bytes());
    }
    for (const SellShape& shape : {SellShape{1, 1}, {4, 1}, {8, 8}, {8, 64}, {32, 1000}, {5, 7}}) {
        EXPECT_EQ(FormatTraits<Sell>::size(backend, a, shape).bytes(value_bytes),
                  sell_from_csr(backend, a, shape.slice_height, shape.sigma, no_limit).bytes())
            << shape.slice_height << " " << shape.sigma;
    }
    for (const Index sigma : {1, 64}) {
        EXPECT_EQ(FormatTraits<CompressedSell>::size(backend, a, {sigma}).bytes(value_bytes),
                  compressed_sell_from_csr(backend, a, sigma, no_limit).bytes());
    }
}

TEST(FormatBytes, AreThoseOfTheConvertedMatrices) {
    OpenMP backend(2);
    for (Index n : {1, 31, 32, 33, 1000}) {
        expect_bytes_of_conversions(poisson2d<double>(backend, n, 3));
        expect_bytes_of_conversions(power_law_rows<float>(backend, n, 50, {.mean = 4}));
    }
    expect_bytes_of_conversions(with_wide_offsets(power_law_rows<double>(backend, 700, 900)));
    expect_bytes_of_conversions(csr_from_rows<double>(7, Rows(40)));
    expect_bytes_of_conversions(csr_from_rows<double>(0, Rows{}));
}

/// What `info` says of a format is what `--format` makes of the matrix.
TEST(FormatBytes, AreThoseOfTheOperatorChosen) {
    OpenMP backend(2);
    const auto make = [&](bool even) {
        return even ? poisson3d<double>(backend, 9, 8, 7) : power_law_rows<double>(backend, 900, 50, {.mean = 6});
    };
    for (const bool even : {true, false}) {
        const HostCsr<double> a = make(even);
        const RowStatistics rows = row_statistics(backend, a);
        for (const BytesInFormat& expected : bytes_in_formats(backend, a, rows)) {
            if (!even && expected.format == "ellpack") continue;  // more padding than it is made with
            const FormatChoice choice{.format = std::string(expected.format)};
            const auto chosen = choose_operator<OpenMP, double>(backend, make(even), rows, choice);
            EXPECT_EQ(chosen.a.bytes(), expected.bytes) << expected.format;
        }
    }
}

TEST(FormatBytes, RefuseSenselessParameters) {
    OpenMP backend(1);
    const auto a = poisson1d<double>(backend, 3);
    const auto size = [&](const SellShape& shape) { FormatTraits<Sell>::size(backend, a, shape); };
    EXPECT_EQ(refusal([&] { size({0, 1}); }), "the size of SELL: slice_height must be positive");
    EXPECT_EQ(refusal([&] { size({8, 0}); }), "the size of SELL: sigma must be positive");
    EXPECT_EQ(refusal([&] { FormatTraits<CompressedSell>::size(backend, a, {0}); }),
              "the size of compressed SELL: sigma must be positive");
}

TEST(MatrixInfo, GathersWhatThePartsSay) {
    OpenMP backend(2);
    const auto a = poisson3d<double>(backend, 5, 4, 3);
    const MatrixInfo info = analyse(backend, a);
    EXPECT_TRUE(info.square());
    EXPECT_EQ(info.n_rows, 60);
    EXPECT_EQ(info.nnz, a.nnz());
    EXPECT_EQ(info.rows.longest, 7);
    EXPECT_EQ(info.rows.shortest, 4);
    EXPECT_EQ(info.values.max_abs, 6);
    EXPECT_EQ(info.band.lower, 20);
    EXPECT_EQ(info.bytes.front().format, "csr");
    EXPECT_EQ(info.bytes.front().bytes, a.bytes());
    ASSERT_TRUE(info.symmetry && info.diagonal && info.components);
    EXPECT_TRUE(info.symmetry->exactly_symmetric());
    EXPECT_EQ(info.diagonal->min_abs, 6);
    EXPECT_EQ(info.components->number, 1);
    EXPECT_EQ(info.components->largest, 60);
}

TEST(MatrixInfo, OfAnUnsymmetricPatternFindsComponentsByAllEntries) {
    OpenMP backend(2);
    for (const Rows& rows : {Rows{{{0, 1}, {2, 5}}, {{1, 1}}, {{2, 1}}}, Rows{{{0, 1}}, {{1, 1}}, {{0, 5}, {2, 1}}}}) {
        const MatrixInfo info = analyse(backend, csr_from_rows<double>(3, rows));
        EXPECT_EQ(info.components->number, 2);
        EXPECT_EQ(info.components->smallest, 1);
        EXPECT_EQ(info.components->largest, 2);
    }
}

TEST(MatrixInfo, OfARectangleKnowsNeitherSymmetryNorDiagonal) {
    OpenMP backend(2);
    const MatrixInfo info = analyse(backend, stiefel::random_csr<float>(backend, 40, 30, 0.1, 1));
    EXPECT_FALSE(info.square());
    EXPECT_FALSE(info.symmetry || info.diagonal || info.components);
}

}  // namespace
}  // namespace stiefel::test
