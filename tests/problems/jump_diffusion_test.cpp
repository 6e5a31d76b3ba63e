#include "stiefel/problems/jump_diffusion.hpp"

#include "stiefel/problems/poisson.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace stiefel::test {
namespace {

// With one material everywhere the inside is the 7-point stencil; each of the faces on the boundary adds 2 instead
// of 1.
TEST(JumpDiffusion, OfOneMaterialIsPoissonWithTheBoundaryHalfACellAway) {
    OpenMP backend(2);
    DenseMatrix expected = dense_matrix(poisson3d<double>(backend, 3, 2, 4));
    const auto at_the_boundary = [](Index x, Index n) { return (x == 0 ? 1 : 0) + (x == n - 1 ? 1 : 0); };
    for (Index z = 0; z < 4; ++z) {
        for (Index y = 0; y < 2; ++y) {
            for (Index x = 0; x < 3; ++x) {
                const Index i = (z * 2 + y) * 3 + x;
                expected(i, i) += at_the_boundary(x, 3) + at_the_boundary(y, 2) + at_the_boundary(z, 4);
            }
        }
    }
    EXPECT_EQ(dense_matrix(jump_diffusion3d<double>(backend, 3, 2, 4, {.contrast = 1})), expected);
}

TEST(JumpDiffusion, FluxesAreHarmonicMeansOfTwoMaterials) {
    OpenMP backend(2);
    constexpr double contrast = 1000;
    const DenseMatrix a = dense_matrix(jump_diffusion3d<double>(backend, 16, 1, 1, {.contrast = contrast, .brick = 1}));
    // A single row of cells: the four side faces contribute 8 k to the diagonal.
    std::set<double> off_diagonals;
    for (Index i = 0; i + 1 < 16; ++i) off_diagonals.insert(static_cast<double>(a(i, i + 1)));
    EXPECT_EQ(off_diagonals, (std::set<double>{-contrast, -2 * contrast / (1 + contrast), -1}));
    for (Index i = 1; i + 1 < 16; ++i) {
        const long double side_faces = a(i, i) + a(i, i - 1) + a(i, i + 1);
        EXPECT_TRUE(std::abs(side_faces - 8) < 1e-9L || std::abs(side_faces - 8 * contrast) < 1e-9L) << side_faces;
    }
}

TEST(JumpDiffusion, BricksAreOfOneMaterialEach) {
    OpenMP backend(2);
    const DenseMatrix a = dense_matrix(jump_diffusion3d<double>(backend, 60, 1, 1, {.contrast = 7, .brick = 20}));
    for (Index i = 0; i + 1 < 60; ++i) {
        if (i % 20 == 19) continue;  // between bricks
        const long double first_of_brick = a(i / 20 * 20, i / 20 * 20 + 1);
        EXPECT_EQ(a(i, i + 1), first_of_brick) << i;
    }
}

TEST(JumpDiffusion, IsSymmetricAndDefiniteWhateverTheContrast) {
    OpenMP backend(2);
    for (double contrast : {1e-6, 1.0, 1e6}) {
        const auto a = jump_diffusion3d<double>(backend, 6, 5, 7, {.contrast = contrast, .brick = 2, .seed = 5});
        EXPECT_TRUE(well_formed(a));
        EXPECT_TRUE(is_symmetric(dense_matrix(a))) << contrast;
        EXPECT_TRUE(is_positive_definite(dense_matrix(a))) << contrast;
    }
}

TEST(JumpDiffusion, DependsOnTheSeedAndNotOnTheThreads) {
    OpenMP one(1);
    const auto a = jump_diffusion3d<double>(one, 20, 20, 20, {.seed = 1});
    for (int threads : {2, 3, 7}) {
        OpenMP backend(threads);
        EXPECT_TRUE(bit_equal(a, jump_diffusion3d<double>(backend, 20, 20, 20, {.seed = 1})));
    }
    EXPECT_FALSE(bit_equal(a, jump_diffusion3d<double>(one, 20, 20, 20, {.seed = 2})));
}

TEST(JumpDiffusion, RefusesSenselessArgumentsByName) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { jump_diffusion3d<double>(backend, 2, 0, 2); }),
              "jump_diffusion3d: ny = 0, expected at least 1");
    EXPECT_EQ(refusal([&] { jump_diffusion3d<double>(backend, 2, 2, 2, {.contrast = -1}); }),
              "jump_diffusion3d: contrast = -1, expected more than 0");
    EXPECT_EQ(refusal([&] { jump_diffusion3d<double>(backend, 2, 2, 2, {.contrast = INFINITY}); }),
              "jump_diffusion3d: contrast = inf, expected a finite number above 0");
    EXPECT_EQ(refusal([&] { jump_diffusion3d<double>(backend, 2, 2, 2, {.brick = 0}); }),
              "jump_diffusion3d: brick = 0, expected at least 1");
}

}  // namespace
}  // namespace stiefel::test
