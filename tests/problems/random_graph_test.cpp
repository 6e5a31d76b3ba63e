#include "stiefel/problems/graph_laplacian.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiefel::test {
namespace {

// Degrees and a shift of few bits make all sums exact.
TEST(GraphLaplacian, RowsSumToTheShiftAndEdgesAreOnes) {
    OpenMP backend(2);
    const auto a = graph_laplacian<double>(backend, 5000, {.degree = 6, .shift = 0.25});
    EXPECT_TRUE(well_formed(a));
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            double sum = 0;
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const auto degree = static_cast<double>(row_ptr[i + 1] - row_ptr[i] - 1);
                ASSERT_EQ(a.values[k], a.col_idx[k] == i ? degree + 0.25 : -1.0);
                sum += a.values[k];
            }
            ASSERT_EQ(sum, 0.25) << i;
        }
    });
}

// A pair is joined unless none of the n degree / 2 draws hits it; draws are nearly independent, degrees nearly Poisson.
TEST(GraphLaplacian, HasTheDegreeAskedFor) {
    OpenMP backend(2);
    const Index n = 20000;
    for (double degree : {0.5, 3.0, 12.0}) {
        const auto a = graph_laplacian<float>(backend, n, {.degree = degree, .shift = 1});
        const double pairs = 0.5 * n * (n - 1.0);
        const double expected_edges = pairs * -std::expm1(-0.5 * n * degree / pairs);
        const double edges = 0.5 * static_cast<double>(a.nnz() - n);
        EXPECT_NEAR(edges, expected_edges, 5 * std::sqrt(0.5 * n * degree * degree / n) + 1) << degree;
        double square_sum = 0;
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < n; ++i) {
                const double deviation = static_cast<double>(row_ptr[i + 1] - row_ptr[i] - 1) - 2 * edges / n;
                square_sum += deviation * deviation;
            }
        });
        EXPECT_NEAR(square_sum / n, degree, 5 * degree * std::sqrt((2 + 1 / degree) / n)) << degree;
    }
}

// No vertex is drawn as its own neighbour: of two vertices, one draw joins the two.
TEST(GraphLaplacian, HasNoLoops) {
    OpenMP backend(1);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(dense_matrix(graph_laplacian<double>(backend, 2, {.degree = 1, .shift = 0.5, .seed = seed})),
                  (DenseMatrix{{1.5, -1}, {-1, 1.5}}));
    }
}

// The constant vector belongs to the smallest eigenvalue, the shift.
TEST(GraphLaplacian, HasTheShiftAsSmallestEigenvalue) {
    OpenMP backend(2);
    const DenseMatrix a = dense_matrix(graph_laplacian<double>(backend, 120, {.degree = 6, .shift = 0.125}));
    EXPECT_TRUE(is_symmetric(a));
    EXPECT_TRUE(eigenvalues_exceed(a, 0.125L * (1 - 1e-12L)));
    EXPECT_FALSE(eigenvalues_exceed(a, 0.125L * (1 + 1e-12L)));
}

TEST(RandomSpd, IsSymmetricAndDominatedByItsDiagonal) {
    OpenMP backend(2);
    for (Index n : {1, 2, 31, 32, 33, 150}) {
        const auto a = random_spd<double>(backend, n, {.degree = 5, .shift = 0.5});
        EXPECT_TRUE(well_formed(a));
        const DenseMatrix reference = dense_matrix(a);
        EXPECT_TRUE(is_symmetric(reference));
        EXPECT_TRUE(eigenvalues_exceed(reference, 0.5L * (1 - 1e-12L))) << n;
        for (Index i = 0; i < n; ++i) {
            long double beside = 0;
            for (Index j = 0; j < n; ++j) beside += j == i ? 0 : std::abs(reference(i, j));
            EXPECT_NEAR(static_cast<double>(reference(i, i) - beside), 0.5, 1e-13);
        }
    }
}

TEST(RandomSpd, OffDiagonalsAreUniformBetweenMinusOneAndOne) {
    OpenMP backend(2);
    const Index n = 20000;
    const auto a = random_spd<double>(backend, n, {.degree = 10, .shift = 1});
    const auto edges = 0.5 * static_cast<double>(a.nnz() - n);
    double sum = 0, square_sum = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < n; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] >= i) continue;
                ASSERT_TRUE(a.values[k] > -1 && a.values[k] < 1);
                sum += a.values[k];
                square_sum += a.values[k] * a.values[k];
            }
        }
    });
    EXPECT_NEAR(sum / edges, 0, 5 / std::sqrt(3 * edges));
    EXPECT_NEAR(square_sum / edges, 1.0 / 3.0, 5 * std::sqrt(4.0 / 45.0 / edges));
}

TEST(RandomGraphProblems, RefuseSenselessArgumentsByName) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { graph_laplacian<double>(backend, 0); }), "graph_laplacian: n = 0, expected at least 1");
    EXPECT_EQ(refusal([&] { graph_laplacian<double>(backend, 5, {.degree = -1}); }),
              "graph_laplacian: degree = -1, expected at least 0");
    EXPECT_EQ(refusal([&] { graph_laplacian<double>(backend, 5, {.shift = 0}); }),
              "graph_laplacian: shift = 0, expected more than 0");
    EXPECT_EQ(refusal([&] { random_spd<double>(backend, -3); }), "random_spd: n = -3, expected at least 1");
    EXPECT_EQ(refusal([&] { random_spd<double>(backend, 5, {.degree = 1e10}); }),
              "random_spd: degree = 10000000000, expected at most 2147483647");
    EXPECT_EQ(refusal([&] { random_spd<double>(backend, 5, {.shift = -1}); }),
              "random_spd: shift = -1, expected more than 0");
}

}  // namespace
}  // namespace stiefel::test
