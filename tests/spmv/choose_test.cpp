#include "stiefel/spmv/choose.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/spmv/convert.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace stiefel {
namespace {

template <class Where>
class ChooseOperator : public ::testing::Test {
protected:
    using B = typename Where::backend;
    using Scalar = typename Where::type;

    ChosenOperator<B, Scalar> choose(HostCsr<Scalar> a, const FormatChoice& choice = {}) {
        const RowStatistics rows = row_statistics(maker, a);
        return choose_operator<B, Scalar>(backend, std::move(a), rows, choice);
    }

    /// Every format and kernel multiplies the same.
    void expect_product(const SpmvOperator<B, Scalar>& a, const HostCsr<Scalar>& csr) {
        const auto x = test::random_vector<Scalar>(csr.n_cols, 1);
        HostVector<Scalar> expected(csr.n_rows);
        Serial serial;
        spmv(serial, csr, x, expected);
        HostVector<Scalar> y(csr.n_rows, std::numeric_limits<Scalar>::quiet_NaN());
        spmv(backend, a, x, y);
        double dot = std::nan("");
        HostVector<Scalar> z(csr.n_rows);
        spmv_dot(backend, a, x, z, &dot);
        double exact_dot = 0;
        for (Index i = 0; i < csr.n_rows; ++i) {
            // 7 products of numbers up to 6: well within 100 eps.
            const double bound = 100 * std::numeric_limits<Scalar>::epsilon();
            ASSERT_TRUE(std::abs(y[i] - expected[i]) <= bound) << i;
            ASSERT_TRUE(std::abs(z[i] - expected[i]) <= bound) << i;
            exact_dot += static_cast<double>(x[i]) * expected[i];
        }
        EXPECT_TRUE(std::abs(dot - exact_dot) <= 100.0 * csr.n_rows * std::numeric_limits<Scalar>::epsilon());
    }

    B backend;
    OpenMP maker{1};
};

TYPED_TEST_SUITE(ChooseOperator, test::EveryBackendAndType);

TYPED_TEST(ChooseOperator, TakesEveryFormatAndKernelThatIsAskedFor) {
    using T = typename TypeParam::type;
    const HostCsr<T> csr = poisson3d<T>(this->maker, 9, 8, 7);
    const auto check = [&](const auto& kernels) {
        for (const auto& kernel : kernels) {
            const std::string format(kernel.format);
            const std::string name(kernel.name);
            const auto chosen = this->choose(poisson3d<T>(this->maker, 9, 8, 7), {.format = format, .kernel = name});
            EXPECT_EQ(chosen.a.format(), format);
            EXPECT_EQ(chosen.a.kernel(), name);
            EXPECT_EQ(chosen.a.nnz(), csr.nnz());
            EXPECT_EQ(chosen.a.n_rows(), csr.n_rows);
            EXPECT_GE(chosen.a.bytes(), csr.nnz() * static_cast<Size>(sizeof(T) + sizeof(Index)));
            EXPECT_GT(spmv_work(chosen.a).bytes, 0);
            this->expect_product(chosen.a, csr);
            // By its name alone: the first format that has it.
            const auto by_name = this->choose(poisson3d<T>(this->maker, 9, 8, 7), {.kernel = name});
            EXPECT_EQ(by_name.a.kernel(), name);
        }
    };
    check(spmv_kernels(this->backend, HostCsr<T>{}));
    check(spmv_kernels(this->backend, HostEllpack<T>{}));
    check(spmv_kernels(this->backend, HostSell<T>{}));
}

TYPED_TEST(ChooseOperator, MeasuresWhatIsLargeEnoughAndSaysSo) {
    using T = typename TypeParam::type;
    const HostCsr<T> csr = poisson3d<T>(this->maker, 30, 30, 30);
    const auto chosen = this->choose(poisson3d<T>(this->maker, 30, 30, 30));
    this->expect_product(chosen.a, csr);
    const bool has_choice = spmv_kernels(this->backend, csr).size() > 1;
    EXPECT_NE(chosen.why.find(has_choice ? "csr/static" : "the only kernel"), std::string::npos) << chosen.why;

    const auto small = this->choose(poisson3d<T>(this->maker, 3, 3, 3));
    EXPECT_EQ(small.a.format(), "csr");
    EXPECT_EQ(small.why, "too small for the choice to matter");
}

TYPED_TEST(ChooseOperator, MeasuresPanelsWhereTheyAreWhatItIsFor) {
    using T = typename TypeParam::type;
    const HostCsr<T> csr = poisson3d<T>(this->maker, 30, 30, 30);
    const auto chosen = this->choose(poisson3d<T>(this->maker, 30, 30, 30), {.columns = 8});
    this->expect_product(chosen.a, csr);
    if (spmv_kernels(this->backend, csr).size() > 1) {
        EXPECT_NE(chosen.why.find("for 8 columns"), std::string::npos) << chosen.why;
    }
    EXPECT_THROW(this->choose(poisson3d<T>(this->maker, 3, 3, 3), {.columns = 0}), InvalidArgument);
    EXPECT_THROW(this->choose(poisson3d<T>(this->maker, 3, 3, 3), {.columns = 257}), InvalidArgument);
}

TYPED_TEST(ChooseOperator, LeavesUnevenRowsInCsrUnlessSortingMendsThem) {
    using T = typename TypeParam::type;
    const PowerLawOptions options{.mean = 10, .exponent = 0.8};
    const auto chosen = this->choose(power_law_rows<T>(this->maker, 30000, 30000, options));
    if (spmv_kernels(this->backend, HostCsr<T>{}).size() > 1) {
        EXPECT_NE(chosen.why.find("sell"), std::string::npos) << chosen.why;
    } else {
        EXPECT_EQ(chosen.a.format(), "csr");
    }
}

TYPED_TEST(ChooseOperator, NamesWhatThereIsWhenAskedForWhatThereIsNot) {
    using T = typename TypeParam::type;
    const auto message = [&](const FormatChoice& choice) -> std::string {
        try {
            this->choose(poisson1d<T>(this->maker, 10), choice);
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message({.format = "coo"}).find("csr, ellpack, sell"), std::string::npos);
    EXPECT_NE(message({.kernel = "warp"}).find("ellpack: "), std::string::npos);
    EXPECT_NE(message({.format = "csr", .kernel = "warp"}).find("there are: "), std::string::npos);
}

}  // namespace
}  // namespace stiefel
