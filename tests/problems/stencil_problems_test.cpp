#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stiefel::test {
namespace {

TEST(Poisson, IsTheMatrixOnPaper) {
    OpenMP backend(2);
    EXPECT_EQ(dense_matrix(poisson1d<double>(backend, 1)), (DenseMatrix{{2}}));
    EXPECT_EQ(dense_matrix(poisson1d<double>(backend, 4)),
              (DenseMatrix{{2, -1, 0, 0}, {-1, 2, -1, 0}, {0, -1, 2, -1}, {0, 0, -1, 2}}));
    EXPECT_EQ(dense_matrix(poisson2d<double>(backend, 3, 2)), (DenseMatrix{{4, -1, 0, -1, 0, 0},
                                                                           {-1, 4, -1, 0, -1, 0},
                                                                           {0, -1, 4, 0, 0, -1},
                                                                           {-1, 0, 0, 4, -1, 0},
                                                                           {0, -1, 0, -1, 4, -1},
                                                                           {0, 0, -1, 0, -1, 4}}));
    EXPECT_EQ(dense_matrix(poisson3d<float>(backend, 2, 2, 2)), (DenseMatrix{{6, -1, -1, 0, -1, 0, 0, 0},
                                                                             {-1, 6, 0, -1, 0, -1, 0, 0},
                                                                             {-1, 0, 6, -1, 0, 0, -1, 0},
                                                                             {0, -1, -1, 6, 0, 0, 0, -1},
                                                                             {-1, 0, 0, 0, 6, -1, -1, 0},
                                                                             {0, -1, 0, 0, -1, 6, 0, -1},
                                                                             {0, 0, -1, 0, -1, 0, 6, -1},
                                                                             {0, 0, 0, -1, 0, -1, -1, 6}}));
}

// A grid that is thin along an axis has no neighbours there, wherever that axis stands.
TEST(Poisson, ThinGridsAreShiftedOnesOfLowerDimension) {
    OpenMP backend(2);
    DenseMatrix expected = dense_matrix(poisson1d<double>(backend, 5));
    for (Index i = 0; i < 5; ++i) expected(i, i) += 4;
    EXPECT_EQ(dense_matrix(poisson3d<double>(backend, 5, 1, 1)), expected);
    EXPECT_EQ(dense_matrix(poisson3d<double>(backend, 1, 5, 1)), expected);
    EXPECT_EQ(dense_matrix(poisson3d<double>(backend, 1, 1, 5)), expected);
}

TEST(Poisson, CountsItsNonzeros) {
    OpenMP backend(2);
    const Size nx = 5, ny = 4, nz = 3;
    EXPECT_EQ(poisson3d<double>(backend, 5, 4, 3).nnz(), 7 * nx * ny * nz - 2 * (nx * ny + ny * nz + nx * nz));
    EXPECT_EQ(stencil27<double>(backend, 5, 4, 3).nnz(), (3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2));
}

// The smallest eigenvalue is known in closed form; just below it the shifted matrix is definite, just above it is not.
TEST(Poisson, HasTheSmallestEigenvalueOfTheTextbook) {
    OpenMP backend(2);
    const auto axis = [](int n) { return 4 * std::pow(std::sin(std::numbers::pi / (2 * (n + 1))), 2.0); };
    const DenseMatrix a = dense_matrix(poisson3d<double>(backend, 5, 4, 3));
    const double smallest = axis(5) + axis(4) + axis(3);
    EXPECT_TRUE(eigenvalues_exceed(a, smallest * (1 - 1e-9)));
    EXPECT_FALSE(eigenvalues_exceed(a, smallest * (1 + 1e-9)));
}

TEST(Anisotropic2d, WeighsTheAxes) {
    OpenMP backend(2);
    EXPECT_EQ(dense_matrix(anisotropic2d<double>(backend, 2, 3, 0.25)), (DenseMatrix{{2.5, -1, -0.25, 0, 0, 0},
                                                                                     {-1, 2.5, 0, -0.25, 0, 0},
                                                                                     {-0.25, 0, 2.5, -1, -0.25, 0},
                                                                                     {0, -0.25, -1, 2.5, 0, -0.25},
                                                                                     {0, 0, -0.25, 0, 2.5, -1},
                                                                                     {0, 0, 0, -0.25, -1, 2.5}}));
    EXPECT_TRUE(bit_equal(anisotropic2d<double>(backend, 7, 5, 1.0), poisson2d<double>(backend, 7, 5)));
    EXPECT_TRUE(is_positive_definite(dense_matrix(anisotropic2d<double>(backend, 9, 9, 1e-6))));
}

TEST(Stencil27, ReachesTheWholeCube) {
    OpenMP backend(2);
    const DenseMatrix a = dense_matrix(stencil27<double>(backend, 3, 4, 3));
    const auto row = [](Index x, Index y, Index z) { return (z * 4 + y) * 3 + x; };
    for (Index z = 0; z < 3; ++z) {
        for (Index y = 0; y < 4; ++y) {
            for (Index x = 0; x < 3; ++x) {
                const bool neighbour = std::abs(x - 1) <= 1 && std::abs(y - 1) <= 1 && std::abs(z - 1) <= 1;
                const bool self = x == 1 && y == 1 && z == 1;
                EXPECT_EQ(a(row(1, 1, 1), row(x, y, z)), self ? 26 : neighbour ? -1 : 0);
            }
        }
    }
    EXPECT_TRUE(is_symmetric(a));
    EXPECT_TRUE(is_positive_definite(a));
}

// More rows than a thread generates at a stretch, and not a multiple of it.
TEST(StencilProblems, AreWellFormedAcrossBlocks) {
    OpenMP backend(3);
    for (Index n : {1, 31, 32, 33, 1000, 1024, 1025, 5000}) {
        EXPECT_TRUE(well_formed(poisson1d<double>(backend, n))) << n;
        EXPECT_TRUE(well_formed(poisson2d<float>(backend, n, 3))) << n;
        EXPECT_TRUE(well_formed(stencil27<double>(backend, 3, n, 2))) << n;
    }
}

TEST(StencilProblems, RefuseSenselessSizesByName) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { poisson1d<double>(backend, 0); }), "poisson1d: nx = 0, expected at least 1");
    EXPECT_EQ(refusal([&] { poisson3d<double>(backend, 4, 4, -2); }), "poisson3d: nz = -2, expected at least 1");
    EXPECT_EQ(refusal([&] { poisson3d<double>(backend, 65536, 32768, 1); }),
              "poisson3d: nx * ny exceeds 2147483647, the largest number of rows that an index can count");
    EXPECT_EQ(refusal([&] { stencil27<double>(backend, 2147483647, 2147483647, 2147483647); }),
              "stencil27: nx * ny exceeds 2147483647, the largest number of rows that an index can count");
    EXPECT_EQ(refusal([&] { anisotropic2d<double>(backend, 4, 4, 0.0); }),
              "anisotropic2d: epsilon = 0, expected more than 0");
    EXPECT_EQ(refusal([&] { anisotropic2d<double>(backend, 4, 4, std::nan("")); }),
              "anisotropic2d: epsilon = nan, expected more than 0");
}

}  // namespace
}  // namespace stiefel::test
