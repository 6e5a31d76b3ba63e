#include "bench/triangular_system.hpp"

#include "stiefel/preconditioner/triangular/level_solve.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiefel::bench {

namespace {

template <class T>
class TriangularSystems : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(TriangularSystems, Types);

/// An error of a hundredth of z, zero and NaN in any of its elements; and a z that nothing has written.
template <class T>
void expect_checked(const TriangularSystem<T>& system, HostVector<T>& z) {
    EXPECT_TRUE(system.deviation(z).accepted);
    for (const Size place : {Size{0}, z.size() / 2, z.size() - 1}) {
        const T right = z[place];
        for (const T wrong : {right * T(1.01), T(0), std::numeric_limits<T>::quiet_NaN()}) {
            z[place] = wrong;
            EXPECT_FALSE(system.deviation(z).accepted) << wrong << " at " << place;
        }
        z[place] = right;
    }
    z[0] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_FALSE(system.deviation(z, 1e6).accepted) << "NaN, however much errors may grow";
}

TYPED_TEST(TriangularSystems, SubstitutionAndLevelsAreAcceptedAndWrongElementsAreNot) {
    using T = TypeParam;
    OpenMP host(2);
    const TriangularSystem<T> systems[] = {TriangularSystem<T>(poisson2d<T>(host, 20, 15)),
                                           TriangularSystem<T>(elasticity3d<T>(host, 3, 3, 3, {}))};
    for (const TriangularSystem<T>& system : systems) {
        HostVector<T> z(system.n());
        substitute(system.factor(), system.r(), z);
        expect_checked(system, z);
        const triangular::LevelSolve<T> levels(system.triangles(), 2);
        levels.run(as_matrix(system.r(), system.n(), 1), as_matrix(z, system.n(), 1));
        expect_checked(system, z);
    }
}

TYPED_TEST(TriangularSystems, RowsOfTheUpperTriangleAreColumnsOfTheFactor) {
    using T = TypeParam;
    OpenMP host(1);
    const TriangularSystem<T> system(poisson1d<T>(host, 4));
    const HostCsr<T> upper = upper_csr(system.factor());
    EXPECT_EQ(upper.nnz(), 7);
    for (Index i = 0; i < 3; ++i) {
        EXPECT_EQ(upper.col_idx[2 * i], i);
        EXPECT_EQ(upper.col_idx[2 * i + 1], i + 1);
    }
}

}  // namespace

}  // namespace stiefel::bench
