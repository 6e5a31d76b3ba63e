#include "stiefel/analysis/diagonal.hpp"

#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {
namespace {

using Rows = std::vector<std::vector<std::pair<Index, double>>>;

TEST(Diagonal, TalliesWhatIsMissingZeroOrNegative) {
    for (int threads : {1, 2, 3, 7}) {
        OpenMP backend(threads);
        const auto a = csr_from_rows<double>(
            6, Rows{{{0, 3}, {1, -1}}, {{0, -1}}, {{2, 0.0}}, {{3, -2}, {4, 2}}, {{3, 2}, {4, -7}, {5, 1}}, {}});
        const DiagonalInfo info = analyse_diagonal(backend, a);
        EXPECT_EQ(info.missing.count, 2);
        EXPECT_EQ(info.missing.first, 1);
        EXPECT_EQ(info.zero.count, 1);
        EXPECT_EQ(info.zero.first, 2);
        EXPECT_EQ(info.negative.count, 2);
        EXPECT_EQ(info.negative.first, 3);
        EXPECT_EQ(info.min_abs, 0);
        EXPECT_EQ(info.max_abs, 7);
        EXPECT_EQ(info.not_dominant.count, 1);
        EXPECT_EQ(info.not_dominant.first, 1);
        EXPECT_EQ(info.not_strictly_dominant.count, 4);  // rows 1, 2, 3 and the empty one
        EXPECT_EQ(info.not_strictly_dominant.first, 1);
        EXPECT_EQ(info.spectrum_lower, -10);
        EXPECT_EQ(info.spectrum_upper, 4);
    }
}

TEST(Diagonal, OfPoissonIsWeaklyDominantInside) {
    OpenMP backend(2);
    const DiagonalInfo info = analyse_diagonal(backend, poisson2d<double>(backend, 10, 7));
    EXPECT_EQ(info.not_dominant.count, 0);
    EXPECT_EQ(info.not_dominant.first, -1);
    EXPECT_EQ(info.not_strictly_dominant.count, 8 * 5);
    EXPECT_EQ(info.not_strictly_dominant.first, 11);
    EXPECT_EQ(info.min_abs, 4);
    EXPECT_EQ(info.max_abs, 4);
    EXPECT_EQ(info.spectrum_lower, 0);
    EXPECT_EQ(info.spectrum_upper, 8);
}

TEST(Diagonal, BoundsTheSpectrum) {
    OpenMP backend(2);
    const auto check = [&](const HostCsr<double>& a) {
        const DiagonalInfo info = analyse_diagonal(backend, a);
        const DenseMatrix reference = dense_matrix(a);
        DenseMatrix negated = reference;
        for (long double& value : negated.values) value = -value;
        const long double slack = 1e-12L * info.spectrum_upper;
        EXPECT_TRUE(eigenvalues_exceed(reference, info.spectrum_lower - slack));
        EXPECT_TRUE(eigenvalues_exceed(negated, -info.spectrum_upper - slack));
    };
    check(random_spd<double>(backend, 150));
    check(elasticity3d<double>(backend, 3, 2, 2));
    check(anisotropic2d<double>(backend, 9, 8, 0.01));
}

TEST(Diagonal, OfNothingIsNothing) {
    OpenMP backend(3);
    const DiagonalInfo info = analyse_diagonal(backend, csr_from_rows<double>(0, Rows{}));
    EXPECT_EQ(info.missing.count, 0);
    EXPECT_EQ(info.min_abs, 0);
    EXPECT_EQ(info.spectrum_lower, 0);
    EXPECT_EQ(info.spectrum_upper, 0);
    EXPECT_EQ(refusal([&] { analyse_diagonal(backend, csr_from_rows<double>(1, Rows{})); }),
              "analyse_diagonal: A must be square");
}

}  // namespace
}  // namespace stiefel::test
