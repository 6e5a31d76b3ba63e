#include "stiefel/spmv/choose.hpp"

#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/formats.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
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
            const Size column_bytes = format == "compressed-sell" ? 0 : sizeof(Index);
            EXPECT_GE(chosen.a.bytes(), csr.nnz() * (static_cast<Size>(sizeof(T)) + column_bytes));
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
    check(spmv_kernels(this->backend, HostCompressedSell<T>{}));
}

TYPED_TEST(ChooseOperator, ExpectsByBytesWhatIsLargeEnoughAndSaysSo) {
    using T = typename TypeParam::type;
    const HostCsr<T> csr = poisson3d<T>(this->maker, 30, 30, 30);
    const auto chosen = this->choose(poisson3d<T>(this->maker, 30, 30, 30));
    this->expect_product(chosen.a, csr);
    const bool has_choice = spmv_kernels(this->backend, csr).size() > 1;
    EXPECT_NE(chosen.why.find(has_choice ? "expected by bytes moved: compressed-sell/simd" : "the only kernel"),
              std::string::npos)
        << chosen.why;

    const auto small = this->choose(poisson3d<T>(this->maker, 3, 3, 3));
    EXPECT_EQ(small.a.format(), "csr");
    EXPECT_EQ(small.why, "too small for the choice to matter");
    EXPECT_THROW(this->choose(poisson3d<T>(this->maker, 3, 3, 3), {.products = 0}), InvalidArgument);
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

/// Bodies of some sizes have a quarter more entries with padding, whose columns are stored once for 32 of them.
TEST(FormatsByBytes, ColumnsThatAreStoredOnceMakeUpForPadding) {
    OpenMP backend(1);
    HostCsr<double> a = elasticity3d<double>(backend, 20, 20, 20);
    const FormatSize size = compressed_sell_size(backend, a, 1, 16);
    ASSERT_GT(static_cast<double>(size.entries), 1.25 * static_cast<double>(a.nnz()));
    ASSERT_LT(size.bytes(sizeof(double)), a.bytes());
    const RowStatistics rows = row_statistics(backend, a);
    const auto chosen = choose_operator<OpenMP, double>(backend, std::move(a), rows, {});
    EXPECT_EQ(chosen.a.format(), "compressed-sell") << chosen.why;
}

/// A clock for trials that says what a test wants, and keeps what was asked.
class FakeClock {
public:
    explicit FakeClock(std::function<double(std::string_view name, int call)> seconds) : seconds_(std::move(seconds)) {}

    ProductTimer timer() {
        return [this](std::string_view name, const std::function<void()>& product) {
            product();
            return seconds_(name, calls_[std::string(name)]++);
        };
    }
    const std::map<std::string, int>& calls() const { return calls_; }

private:
    std::function<double(std::string_view name, int call)> seconds_;
    std::map<std::string, int> calls_;
};

class Trial : public ::testing::Test {
protected:
    ChosenOperator<OpenMP, double> choose(const FormatChoice& choice) {
        HostCsr<double> a = scattered();
        const RowStatistics rows = row_statistics(backend, a);
        return choose_operator<OpenMP, double>(backend, std::move(a), rows, choice);
    }

    /// Rows of eight entries in columns that have nothing to do with each other: no format is far ahead of the others.
    static HostCsr<double> scattered() {
        constexpr Index n = 20000;
        std::vector<std::vector<std::pair<Index, double>>> rows(n);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < 8; ++j) rows[static_cast<std::size_t>(i)].emplace_back(2500 * j + i * 37 % 2499, 1.0);
        }
        return test::csr_from_rows<double>(n, rows);
    }

    OpenMP backend{2};
};

TEST_F(Trial, OneDisturbedRoundDoesNotDecide) {
    for (int disturbed : {0, 1, 2, 3}) {
        FakeClock clock([&](std::string_view name, int call) {
            return name == "compressed-sell/simd" ? (call == disturbed ? 1.0 : 1e-3) : 1.2e-3;
        });
        const auto chosen = choose({.timer = clock.timer()});
        EXPECT_EQ(chosen.a.format(), "compressed-sell") << chosen.why;
        EXPECT_EQ(clock.calls().size(), 2u) << "what may win is measured, and nothing else";
        // A round more where it lost the first that counts.
        const int rounds = disturbed == 1 ? 3 : 2;
        for (const auto& [name, calls] : clock.calls()) EXPECT_EQ(calls, rounds) << name;
    }
}

TEST_F(Trial, AGainInEveryRoundDecides) {
    FakeClock clock([](std::string_view name, int) { return name == "compressed-sell/simd" ? 1e-3 : 0.8e-3; });
    const auto chosen = choose({.timer = clock.timer()});
    EXPECT_EQ(chosen.a.format(), "csr") << chosen.why;
    EXPECT_NE(chosen.why.find("compressed-sell/simd 1 ms, csr/balanced 0.8 ms, csr/balanced gains every time"),
              std::string::npos)
        << chosen.why;
}

TEST_F(Trial, TakesNoMoreThanItsShareOfTheProductsExpected) {
    FakeClock clock([](std::string_view, int) { return 1.0; });
    const auto few = choose({.products = 40, .timer = clock.timer()});
    EXPECT_TRUE(clock.calls().empty()) << "a trial of two kernels takes eight products, which are more than 3 % of 40";
    EXPECT_NE(few.why.find("unmeasured"), std::string::npos) << few.why;
    const auto many = choose({.products = 1000, .timer = clock.timer()});
    EXPECT_EQ(clock.calls().size(), 3u) << many.why;
}

TEST_F(Trial, ConversionMustPayForItself) {
    FakeClock clock([](std::string_view, int) { return 1.0; });
    const auto chosen = choose({.products = 6, .timer = clock.timer()});
    EXPECT_EQ(chosen.a.format(), "csr") << chosen.why;
}

TEST_F(Trial, OfAFormatAskedForIsBetweenItsKernels) {
    FakeClock clock([](std::string_view name, int) { return name == "csr/unrolled" ? 0.8 : 1.0; });
    const auto chosen = choose({.format = "csr", .timer = clock.timer()});
    EXPECT_EQ(chosen.a.kernel(), "unrolled") << chosen.why;
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
    EXPECT_NE(message({.format = "coo"}).find("csr, sell, compressed-sell, ellpack"), std::string::npos);
    EXPECT_NE(message({.kernel = "warp"}).find("ellpack: "), std::string::npos);
    EXPECT_NE(message({.format = "csr", .kernel = "warp"}).find("there are: "), std::string::npos);
}

}  // namespace
}  // namespace stiefel
