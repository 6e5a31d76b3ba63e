#include "stiefel/problems/elasticity.hpp"

#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace stiefel::test {
namespace {

using Displacement = std::array<double, 3>;

template <class Motion>
std::array<double, 24> at_corners(Motion motion) {
    std::array<double, 24> u{};
    for (int node = 0; node < 8; ++node) {
        const Displacement d = motion(node & 1, (node >> 1) & 1, node >> 2);
        for (int c = 0; c < 3; ++c) u[static_cast<std::size_t>(3 * node + c)] = d[static_cast<std::size_t>(c)];
    }
    return u;
}

double energy(const BrickStiffness& k, const std::array<double, 24>& u) {
    double sum = 0;
    for (std::size_t i = 0; i < 24; ++i) {
        for (std::size_t j = 0; j < 24; ++j) sum += u[i] * k[i][j] * u[j];
    }
    return sum;
}

TEST(BrickStiffness, IsExactlySymmetricWithTheSixRigidBodyMotionsAsNullSpace) {
    const BrickStiffness k = brick_stiffness({.young = 2.5, .poisson = 0.35});
    for (std::size_t i = 0; i < 24; ++i) {
        for (std::size_t j = 0; j < 24; ++j) EXPECT_EQ(k[i][j], k[j][i]);
    }
    using Motion = Displacement (*)(double, double, double);
    const std::array<Motion, 6> rigid{[](double, double, double) {
                                          return Displacement{1, 0, 0};
                                      },
                                      [](double, double, double) {
                                          return Displacement{0, 1, 0};
                                      },
                                      [](double, double, double) {
                                          return Displacement{0, 0, 1};
                                      },
                                      [](double x, double y, double) {
                                          return Displacement{-y, x, 0};
                                      },
                                      [](double, double y, double z) {
                                          return Displacement{0, -z, y};
                                      },
                                      [](double x, double, double z) {
                                          return Displacement{z, 0, -x};
                                      }};
    for (const Motion motion : rigid) {
        const auto u = at_corners(motion);
        for (std::size_t i = 0; i < 24; ++i) {
            double force = 0;
            double scale = 0;
            for (std::size_t j = 0; j < 24; ++j) {
                force += k[i][j] * u[j];
                scale += std::abs(k[i][j] * u[j]);
            }
            EXPECT_TRUE(std::abs(force) <= 24 * 0x1p-52 * scale) << i;
        }
    }
    // No seventh: with the six pushed up by the outer products, the rest is definite.
    DenseMatrix filled(24, 24);
    for (Index i = 0; i < 24; ++i) {
        for (Index j = 0; j < 24; ++j) {
            filled(i, j) = k[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
            for (const Motion motion : rigid) {
                const auto u = at_corners(motion);
                filled(i, j) += u[static_cast<std::size_t>(i)] * u[static_cast<std::size_t>(j)];
            }
        }
    }
    EXPECT_TRUE(eigenvalues_exceed(filled, 0.01L));
}

// Constant strain states of a unit cube store u' K u = strain : stress, from Hooke's law by hand.
TEST(BrickStiffness, StoresTheEnergyOfHookesLaw) {
    const double young = 3, nu = 0.3;
    const double lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    const double mu = young / (2 * (1 + nu));
    const BrickStiffness k = brick_stiffness({.young = young, .poisson = nu});
    const auto stretch = at_corners([](double x, double, double) { return Displacement{x, 0, 0}; });
    EXPECT_NEAR(energy(k, stretch), lambda + 2 * mu, 1e-13);
    const auto shear = at_corners([](double, double, double z) { return Displacement{0, z, 0}; });
    EXPECT_NEAR(energy(k, shear), mu, 1e-13);
    const auto swell = at_corners([](double x, double y, double z) { return Displacement{x, y, z}; });
    EXPECT_NEAR(energy(k, swell), 9 * lambda + 6 * mu, 1e-12);
    const auto tension = at_corners([=](double x, double y, double z) { return Displacement{x, -nu * y, -nu * z}; });
    EXPECT_NEAR(energy(k, tension), young, 1e-13);
}

TEST(Elasticity3d, OfOneElementIsTheUnclampedPartOfItsStiffness) {
    OpenMP backend(2);
    const ElasticMaterial material{.young = 7, .poisson = 0.2};
    const BrickStiffness k = brick_stiffness(material);
    const DenseMatrix a = dense_matrix(elasticity3d<double>(backend, 1, 1, 1, material));
    ASSERT_EQ(a.n_rows, 12);
    for (Index i = 0; i < 12; ++i) {
        for (Index j = 0; j < 12; ++j) {
            const auto in_element = [](Index row) {
                return static_cast<std::size_t>(3 * (2 * (row / 3) + 1) + row % 3);
            };
            EXPECT_EQ(a(i, j), k[in_element(i)][in_element(j)]);
        }
    }
}

// Patch test: a displacement linear in x, zero at the clamped face, makes the stress constant, so nodes inside feel no
// force and those of the face x = nx the traction of Hooke's law. The sides, which carry tractions too, are left out.
TEST(Elasticity3d, PassesThePatchTest) {
    OpenMP backend(2);
    const Index nx = 4, ny = 3, nz = 2;
    const double young = 2, nu = 0.25;
    const double lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    const double mu = young / (2 * (1 + nu));
    const Displacement slope{0.5, -0.25, 0.75};
    const Displacement traction{(lambda + 2 * mu) * slope[0], mu * slope[1], mu * slope[2]};
    const DenseMatrix a = dense_matrix(elasticity3d<double>(backend, nx, ny, nz, {.young = young, .poisson = nu}));
    for (Index z = 1; z < nz; ++z) {
        for (Index y = 1; y < ny; ++y) {
            for (Index x = 1; x <= nx; ++x) {
                for (Index c = 0; c < 3; ++c) {
                    const Index row = 3 * ((z * (ny + 1) + y) * nx + x - 1) + c;
                    long double force = 0;
                    for (Index j = 0; j < a.n_cols; ++j) {
                        const Index x_of_column = j / 3 % nx + 1;
                        force += a(row, j) * slope[static_cast<std::size_t>(j % 3)] * x_of_column;
                    }
                    const double expected = x == nx ? traction[static_cast<std::size_t>(c)] : 0;
                    EXPECT_NEAR(static_cast<double>(force), expected, 1e-13) << x << " " << c;
                }
            }
        }
    }
}

// Poisson's ratio 0 decouples the axes: a bar under tension stretches linearly and its sides stay free of forces.
TEST(Elasticity3d, StretchesABarLinearly) {
    OpenMP backend(2);
    const Index nx = 5, ny = 2, nz = 2;
    const double young = 3;
    const DenseMatrix a = dense_matrix(elasticity3d<double>(backend, nx, ny, nz, {.young = young, .poisson = 0}));
    for (Index i = 0; i < a.n_rows; ++i) {
        long double force = 0;
        for (Index j = 0; j < a.n_cols; ++j) force += j % 3 == 0 ? a(i, j) * (j / 3 % nx + 1) : 0;
        const Index node = i / 3;
        const Index x = node % nx + 1, y = node / nx % (ny + 1), z = node / nx / (ny + 1);
        const double area = (y == 0 || y == ny ? 0.5 : 1.0) * (z == 0 || z == nz ? 0.5 : 1.0);
        EXPECT_NEAR(static_cast<double>(force), i % 3 == 0 && x == nx ? young * area : 0, 1e-13) << i;
    }
}

TEST(Elasticity3d, IsSymmetricAndDefinite) {
    OpenMP backend(3);
    for (double nu : {-0.5, 0.0, 0.3, 0.49}) {
        const auto a = elasticity3d<double>(backend, 3, 2, 4, {.poisson = nu});
        EXPECT_TRUE(well_formed(a));
        EXPECT_TRUE(is_symmetric(dense_matrix(a))) << nu;
        EXPECT_TRUE(is_positive_definite(dense_matrix(a))) << nu;
    }
    EXPECT_TRUE(is_symmetric(dense_matrix(elasticity3d<float>(backend, 3, 3, 3))));
}

TEST(Elasticity3d, RefusesSenselessArgumentsByName) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { elasticity3d<double>(backend, 0, 1, 1); }), "elasticity3d: nx = 0, expected at least 1");
    EXPECT_EQ(refusal([&] { elasticity3d<double>(backend, 1, 1, 1, {.young = 0}); }),
              "elasticity3d: young = 0, expected more than 0");
    EXPECT_EQ(refusal([&] { elasticity3d<double>(backend, 1, 1, 1, {.poisson = 0.5}); }),
              "elasticity3d: poisson = 0.5, expected less than 0.5");
    EXPECT_EQ(refusal([&] { elasticity3d<double>(backend, 1, 1, 1, {.poisson = -1}); }),
              "elasticity3d: poisson = -1, expected more than -1");
    EXPECT_EQ(refusal([&] { elasticity3d<double>(backend, 1000, 1000, 1000); }),
              "elasticity3d: 3 * nx * (ny + 1) * (nz + 1) exceeds 2147483647, the largest number of rows that an index "
              "can count");
}

}  // namespace
}  // namespace stiefel::test
