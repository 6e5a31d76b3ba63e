#include "stiefel/spmv/spmv.hpp"

#include "support/backends.hpp"
#include "support/formats.hpp"
#include "support/spmv_reference.hpp"

#include <bit>

namespace stiefel::test {
namespace {

/// The matrices that every rung must get right: empty rows, a full row, single rows and columns, nothing at all.
template <class T, class F>
void for_each_matrix(F&& f) {
    for_each_small_csr<T>(f);
    f(random_csr<T>({.n_rows = 1, .n_cols = 3000, .full_row = 0}));
    f(random_csr<T>({.n_rows = 3000, .n_cols = 1, .mean_row = 1}));
    f(random_csr<T>({.n_rows = 5000, .n_cols = 5000, .mean_row = 8, .full_row = 2047}));
}

template <class Case>
class Spmv : public ::testing::Test {
protected:
    using Backend = typename Case::backend;
    using Value = typename Case::type;

    /// Every rung for every format of a, with its label.
    template <class F>
    void for_each_rung(const HostCsr<Value>& a, F&& f) {
        for_each_format(a, [&](const std::string& label, const auto& matrix) {
            for (const auto& kernel : spmv_kernels(backend, matrix)) {
                SCOPED_TRACE(label + "/" + std::string(kernel.name) + " " + std::to_string(a.n_rows) + " x " +
                             std::to_string(a.n_cols));
                f(kernel, matrix);
                if (this->HasFatalFailure()) return;
            }
        });
    }

    Backend backend{};
};

TYPED_TEST_SUITE(Spmv, EveryBackendAndType);

TYPED_TEST(Spmv, HandValues) {
    using T = typename TypeParam::type;
    // [ 4 -1  0 ]   [1]   [ 2]
    // [ 0  0  0 ] * [2] = [ 0]
    // [ 0.5 0 8 ]   [3]   [24.5]
    const auto a = csr_from_rows<T>(3, {{{0, 4}, {1, -1}}, {}, {{0, T(0.5)}, {2, 8}}});
    const HostVector<T> x{1, 2, 3};
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        HostVector<T> y{100, 200, 300};
        double dot = 0;
        kernel.run(this->backend, matrix, {.x = x.data(), .y = y.data(), .dot = &dot});
        EXPECT_EQ(y[0], T(2));
        EXPECT_EQ(y[1], T(0));
        EXPECT_EQ(y[2], T(24.5));
        EXPECT_EQ(dot, 75.5);
        y = HostVector<T>{100, 200, 300};
        kernel.run(this->backend, matrix, {.x = x.data(), .y = y.data(), .alpha = 2, .beta = T(0.5)});
        EXPECT_EQ(y[0], T(54));
        EXPECT_EQ(y[1], T(100));
        EXPECT_EQ(y[2], T(199));
    });
}

TYPED_TEST(Spmv, AlphaBetaAndFusedDot) {
    using T = typename TypeParam::type;
    constexpr std::pair<T, T> factors[] = {{1, 0}, {1, 1}, {-2, T(0.3)}, {0, 2}, {0, 0}};
    for_each_matrix<T>([&](const HostCsr<T>& a) {
        const auto x = random_vector<T>(a.n_cols, 10);
        const auto y0 = random_vector<T>(a.n_rows, 11);
        std::vector<SpmvReference> references;
        for (const auto& [alpha, beta] : factors) references.push_back(spmv_reference(a, x, y0, alpha, beta));
        this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            auto reference = references.begin();
            for (const auto& [alpha, beta] : factors) {
                auto y = y0.clone();
                kernel.run(this->backend, matrix, {.x = x.data(), .y = y.data(), .alpha = alpha, .beta = beta});
                expect_within(y, *reference);
                if (a.n_rows == a.n_cols) {
                    auto y_with_dot = y0.clone();
                    double dot = -1;
                    kernel.run(this->backend, matrix,
                               {.x = x.data(), .y = y_with_dot.data(), .alpha = alpha, .beta = beta, .dot = &dot});
                    EXPECT_TRUE(std::equal(y.begin(), y.end(), y_with_dot.begin())) << "asking for the dot changed y";
                    EXPECT_TRUE(within(dot, reference->dot, reference->dot_bound));
                }
                ++reference;
            }
        });
    });
}

TYPED_TEST(Spmv, BetaZeroDoesNotReadY) {
    using T = typename TypeParam::type;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for_each_matrix<T>([&](const HostCsr<T>& a) {
        const auto x = random_vector<T>(a.n_cols, 10);
        const auto reference = spmv_reference(a, x, HostVector<T>(a.n_rows, T{0}), T{1}, T{0});
        this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            HostVector<T> y(a.n_rows, nan);
            kernel.run(this->backend, matrix, {.x = x.data(), .y = y.data()});
            expect_within(y, reference);
        });
    });
}

TYPED_TEST(Spmv, NanInXReachesTheRowsThatReferToIt) {
    using T = typename TypeParam::type;
    const auto a = random_csr<T>({.n_rows = 1000, .n_cols = 1000, .empty_rows = false});
    auto x = random_vector<T>(1000, 10);
    const Index bad = 617;
    x[bad] = std::numeric_limits<T>::quiet_NaN();
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        HostVector<T> y(1000);
        kernel.run(this->backend, matrix, {.x = x.data(), .y = y.data()});
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                const Index* const begin = a.col_idx.data() + row_ptr[i];
                const Index* const end = a.col_idx.data() + row_ptr[i + 1];
                ASSERT_EQ(std::isnan(y[i]), std::find(begin, end, bad) != end) << "row " << i;
            }
        });
    });
}

TYPED_TEST(Spmv, DefaultsAndSizeErrors) {
    using T = typename TypeParam::type;
    const auto a = random_csr<T>({.n_rows = 40, .n_cols = 40});
    const auto wide = random_csr<T>({.n_rows = 40, .n_cols = 41});
    const auto x = random_vector<T>(40, 10);
    HostVector<T> y(40);
    HostVector<T> short_y(39);
    const auto reference = spmv_reference(a, x, y, T{1}, T{0});
    spmv(this->backend, a, x, y);
    expect_within(y, reference);
    double dot = 0;
    spmv_dot(this->backend, a, x, y, &dot);
    EXPECT_TRUE(within(dot, reference.dot, reference.dot_bound));
    EXPECT_THROW(spmv(this->backend, a, x, short_y), InvalidArgument);
    EXPECT_THROW(spmv(this->backend, wide, x, y), InvalidArgument);
    EXPECT_THROW(spmv_dot(this->backend, wide, x, y, &dot), InvalidArgument);
    EXPECT_THROW(spmv_dot(this->backend, a, x, short_y, &dot), InvalidArgument);
}

TYPED_TEST(Spmv, UnknownKernelNamesTheKnown) {
    const HostCsr<typename TypeParam::type> a;
    try {
        find_kernel(this->backend, a, "fastest");
        FAIL() << "found a kernel 'fastest'";
    } catch (const InvalidArgument& error) {
        for (const auto& kernel : spmv_kernels(this->backend, a)) {
            EXPECT_NE(std::string(error.what()).find(kernel.name), std::string::npos) << error.what();
            EXPECT_EQ(find_kernel(this->backend, a, kernel.name).run, kernel.run);
        }
    }
}

template <class T>
class SerialSpmv : public ::testing::Test {};
TYPED_TEST_SUITE(SerialSpmv, EveryType);

TYPED_TEST(SerialSpmv, AgreesWithDenseOracle) {
    using T = TypeParam;
    Serial backend;
    for (Index n : {0, 1, 31, 32, 33, 200}) {
        const auto a = random_csr<T>({.n_rows = n, .n_cols = n + 2, .full_row = n / 3});
        const auto full = dense(a);
        const auto x = random_vector<T>(n + 2, 5);
        HostVector<T> y(n);
        spmv(backend, a, x, y);
        for (Index i = 0; i < n; ++i) {
            long double sum = 0;
            long double absolutes = 0;
            for (Index j = 0; j < n + 2; ++j) {
                const long double term = full[static_cast<std::size_t>(i * (n + 2) + j)] * x[j];
                sum += term;
                absolutes += std::abs(term);
            }
            EXPECT_TRUE(within(y[i], sum, sum_bound<T>(n + 2, absolutes)));
        }
    }
}

template <class T>
class OpenMPSpmv : public ::testing::Test {};
TYPED_TEST_SUITE(OpenMPSpmv, EveryType);

/// Rows from nothing to a hundred thousand entries, in stretches of each: shares of rows and shares of entries have
/// nothing to do with each other.
template <class T>
HostCsr<T> skewed_csr() {
    constexpr Index n = 100000;
    std::vector<std::vector<std::pair<Index, T>>> rows(n);
    Random random(4);
    const auto fill = [&](Index row, Index step) {
        for (Index col = 0; col < n; col += step) rows[static_cast<std::size_t>(row)].emplace_back(col, T(random()));
    };
    fill(0, 1);
    fill(1, 3);
    for (Index row = 2; row < 3000; ++row) fill(row, 9973);
    for (Index row = 40000; row < 40030; ++row) fill(row, 15);
    fill(70000, 1);
    fill(70001, 2);
    for (Index row = 70002; row < 72000; ++row) fill(row, 30011);
    fill(n - 1, 1);
    return csr_from_rows<T>(n, rows);
}

TYPED_TEST(OpenMPSpmv, SharesLongRows) {
    using T = TypeParam;
    const auto a = skewed_csr<T>();
    const auto x = random_vector<T>(a.n_cols, 10);
    const auto y0 = random_vector<T>(a.n_rows, 11);
    const auto reference = spmv_reference(a, x, y0, T(1.5), T(-0.7));
    const auto wide = with_wide_offsets(a);
    const OpenMP any;
    for (const auto& kernel : spmv_kernels(any, a)) {
        SCOPED_TRACE(kernel.name);
        HostVector<T> first;
        double first_dot = 0;
        for (int threads : {1, 2, 3, 7}) {
            for (const auto* matrix : {&a, &wide}) {
                OpenMP backend(threads);
                auto y = y0.clone();
                double dot = 0;
                kernel.run(backend, *matrix,
                           {.x = x.data(), .y = y.data(), .alpha = T(1.5), .beta = T(-0.7), .dot = &dot});
                if (first.empty()) {
                    expect_within(y, reference);
                    EXPECT_TRUE(within(dot, reference.dot, reference.dot_bound));
                    first = std::move(y);
                    first_dot = dot;
                }
                EXPECT_EQ(std::bit_cast<std::int64_t>(dot), std::bit_cast<std::int64_t>(first_dot)) << threads;
                EXPECT_TRUE(y.empty() || std::equal(y.begin(), y.end(), first.begin())) << threads;
            }
        }
    }
}

TYPED_TEST(OpenMPSpmv, BitsDoNotDependOnTheThreads) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 9001, .n_cols = 9001, .mean_row = 11, .full_row = 4000});
    const auto x = random_vector<T>(9001, 10);
    const auto y0 = random_vector<T>(9001, 11);
    const OpenMP any;
    for_each_format(a, [&](const std::string& label, const auto& matrix) {
        for (const auto& kernel : spmv_kernels(any, matrix)) {
            SCOPED_TRACE(label + "/" + std::string(kernel.name));
            HostVector<T> first;
            double first_dot = 0;
            for (int threads : {1, 2, 3, 7}) {
                OpenMP backend(threads);
                auto y = y0.clone();
                double dot = 0;
                kernel.run(backend, matrix,
                           {.x = x.data(), .y = y.data(), .alpha = T(1.5), .beta = T(-0.7), .dot = &dot});
                if (threads == 1) {
                    first = std::move(y);
                    first_dot = dot;
                    continue;
                }
                EXPECT_EQ(std::bit_cast<std::int64_t>(dot), std::bit_cast<std::int64_t>(first_dot)) << threads;
                EXPECT_TRUE(std::equal(y.begin(), y.end(), first.begin())) << threads;
            }
        }
    });
}

}  // namespace
}  // namespace stiefel::test
