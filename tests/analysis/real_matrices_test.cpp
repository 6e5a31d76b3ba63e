#include "support/real_matrices.hpp"

#include "stiefel/analysis/matrix_info.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/convert.hpp"

#include <gtest/gtest.h>

#include <set>

namespace stiefel::test {
namespace {

template <class T = double>
MatrixInfo info_of(const std::string& name) {
    OpenMP backend(2);
    return analyse(backend, csr_from_coo(backend, read_matrix<T>(real_matrix_path(name)).coo).csr);
}

TEST(RealMatrices, DefiniteOnesAreSymmetricWithAPositiveDiagonal) {
    const std::vector<std::string> names = real_spd_matrices();
    if (names.empty()) GTEST_SKIP() << "no real matrices at " << real_matrices_folder();
    // Stored as general, and symmetric only up to rounding.
    const std::set<std::string> rounded{"NSE_RE100_M", "ani4", "gko_A_multigrid",
                                        "pyamg_local_disc_galerkin_diffusion"};
    for (const std::string& name : names) {
        const MatrixInfo info = info_of(name);
        ASSERT_TRUE(info.symmetry && info.diagonal) << name;
        EXPECT_EQ(info.symmetry->exactly_symmetric(), rounded.count(name) == 0) << name;
        EXPECT_TRUE(info.symmetry->symmetric_within_tolerance()) << name;
        EXPECT_EQ(info.values.non_finite.count, 0) << name;
        EXPECT_EQ(info.diagonal->missing.count + info.diagonal->zero.count + info.diagonal->negative.count, 0) << name;
        EXPECT_GT(info.diagonal->spectrum_upper, 0) << name;
        EXPECT_EQ(info.band.lower, info.band.upper) << name;
    }
    for (const std::string& name : rounded) {
        EXPECT_TRUE(info_of<float>(name).symmetry->symmetric_within_tolerance()) << name;
    }
}

TEST(RealMatrices, UnsymmetricOnesAreToldFromRounding) {
    if (real_spd_matrices().empty()) GTEST_SKIP() << "no real matrices at " << real_matrices_folder();
    for (const std::string name : {"superlu_airfoil2", "cage9", "adder_dcop_05", "mhd4800a", "gre_115", "bips98_606"}) {
        for (const auto& symmetry : {info_of<double>(name).symmetry, info_of<float>(name).symmetry}) {
            ASSERT_TRUE(symmetry && symmetry->first) << name;
            EXPECT_GT(symmetry->largest->asymmetry, 1e-4) << name;
        }
    }
}

}  // namespace
}  // namespace stiefel::test
