#include "stiefel/spmv/spmm.hpp"

#include "stiefel/core/multivector.hpp"
#include "stiefel/spmv/choose.hpp"
#include "support/backends.hpp"
#include "support/formats.hpp"
#include "support/spmm_reference.hpp"

#include <array>
#include <cstdio>
#include <span>

namespace stiefel::test {
namespace {

template <class Case>
class Spmm : public ::testing::Test {
protected:
    using Backend = typename Case::backend;
    using Value = typename Case::type;

    /// Every rung for every format of a, with its label.
    template <class F>
    void for_each_rung(const HostCsr<Value>& a, F&& f) {
        for_each_format(a, [&](const std::string& label, const auto& matrix) {
            for (const auto& kernel : spmm_kernels(backend, matrix)) {
                SCOPED_TRACE(label + "/" + std::string(kernel.name) + " " + std::to_string(a.n_rows) + " x " +
                             std::to_string(a.n_cols));
                f(kernel, matrix);
                if (this->HasFatalFailure()) return;
            }
        });
    }

    /// Every rung for every format against the references of some panels.
    void check(const HostCsr<Value>& a, std::span<const Index> columns) {
        std::vector<SpmmReference<Value>> references;
        for (const Index k : columns) references.emplace_back(a, spmm_case(k, turn_++));
        for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            for (const auto& reference : references) {
                auto y = reference.y().values.clone();
                kernel.run(backend, matrix, reference.arguments(reference.x().values.data(), y.data()));
                ASSERT_TRUE(reference.accepts(y)) << reference.what();
            }
        });
    }

    Backend backend{};

private:
    int turn_ = 0;
};

TYPED_TEST_SUITE(Spmm, EveryBackendAndType);

TYPED_TEST(Spmm, HandValues) {
    using T = typename TypeParam::type;
    // [ 4 -1  0 ]   [1 10]   [ 2   20]
    // [ 0  0  0 ] * [2 20] = [ 0    0]
    // [ 0.5 0 8 ]   [3 30]   [24.5 245]
    const auto a = csr_from_rows<T>(3, {{{0, 4}, {1, -1}}, {}, {{0, T(0.5)}, {2, 8}}});
    const HostVector<T> x{1, 10, 2, 20, 3, 30};
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        HostVector<T> y{1, 2, 3, 4, 5, 6};
        kernel.run(this->backend, matrix, {.x = x.data(), .ldx = 2, .y = y.data(), .ldy = 2, .k = 2});
        EXPECT_TRUE(std::ranges::equal(y, HostVector<T>{2, 20, 0, 0, T(24.5), 245}));
        y = HostVector<T>{1, 2, 3, 4, 5, 6};
        kernel.run(this->backend, matrix,
                   {.x = x.data(), .ldx = 2, .y = y.data(), .ldy = 2, .k = 2, .alpha = 2, .beta = T(0.5)});
        EXPECT_TRUE(std::ranges::equal(y, HostVector<T>{T(4.5), 41, T(1.5), 2, T(51.5), 493}));
    });
}

TYPED_TEST(Spmm, EveryShapeAndWidth) {
    for_each_spmm_matrix<typename TypeParam::type>([&](const auto& a) { this->check(a, spmm_widths); });
}

TYPED_TEST(Spmm, ManyRows) {
    using T = typename TypeParam::type;
    this->check(random_csr<T>({.n_rows = 1500, .n_cols = 1500, .mean_row = 8, .full_row = 1047}), every_path_columns);
    this->check(random_csr<T>({.n_rows = 5000, .n_cols = 5000, .mean_row = 8}), std::array{3, 8});
}

TYPED_TEST(Spmm, NanInXReachesTheElementsThatReferToIt) {
    using T = typename TypeParam::type;
    const auto a = random_csr<T>({.n_rows = 1000, .n_cols = 1000, .empty_rows = false});
    for (const Index k : {1, 2, 3, 4, 8, 16, 19, 32, 64}) {
        auto x = random_vector<T>(Size{1000} * k, 10);
        x[Size{617} * k + k / 2] = std::numeric_limits<T>::quiet_NaN();
        this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            HostVector<T> y(Size{1000} * k, std::numeric_limits<T>::quiet_NaN());
            kernel.run(this->backend, matrix, {.x = x.data(), .ldx = k, .y = y.data(), .ldy = k, .k = k});
            ASSERT_TRUE(nan_went_where_it_belongs(a, y, k, 617, k / 2));
        });
    }
}

/// Errors relative to sum |a| |x|, reported for every rung: no order of summation may be a bad one.
TYPED_TEST(Spmm, RelativeErrorsAreReported) {
    using T = typename TypeParam::type;
    const auto a = random_csr<T>({.n_rows = 3000, .n_cols = 3000, .mean_row = 40, .full_row = 1500});
    const SpmmReference<T> reference(a, {.k = 8});
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        auto y = reference.y().values.clone();
        kernel.run(this->backend, matrix, reference.arguments(reference.x().values.data(), y.data()));
        const RelativeErrors errors = reference.errors(y);
        std::printf("%s %s %s %zu-byte: relative error max %.2Lg, mean %.2Lg\n", TypeParam::backend::name,
                    std::string(kernel.format).c_str(), std::string(kernel.name).c_str(), sizeof(T), errors.max,
                    errors.mean);
        constexpr long double eps = std::numeric_limits<T>::epsilon();
        EXPECT_TRUE(errors.max <= 100 * eps);
        EXPECT_TRUE(errors.mean <= eps);
    });
}

TYPED_TEST(Spmm, DefaultsAndSizeErrors) {
    using T = typename TypeParam::type;
    const auto a = random_csr<T>({.n_rows = 40, .n_cols = 41});
    const SpmmReference<T> reference(a, {.k = 5, .padding = 1});
    auto y = reference.y().values.clone();
    const auto x_view = reference.x().view();
    const auto y_view = reference.y().view_of(y);
    spmm(this->backend, a, x_view, y_view);
    EXPECT_TRUE(reference.accepts(y));

    const auto refuses = [&](HostMatrix<const T> x, HostMatrix<T> other, std::string_view what) {
        try {
            spmm(this->backend, a, x, other);
            ADD_FAILURE() << "accepted although: " << what;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string_view(error.what()).find(what), std::string_view::npos) << error.what();
        }
    };
    refuses({x_view.data, 40, 5, 6}, y_view, "as many rows as A has columns");
    refuses(x_view, {y.data(), 39, 5, 7}, "as many rows as A");
    refuses(x_view, {y.data(), 40, 4, 7}, "the same number of columns");
    refuses({x_view.data, 41, 0, 6}, {y.data(), 40, 0, 7}, "1 to 256 columns");
    refuses({x_view.data, 41, 257, 257}, {y.data(), 40, 257, 257}, "1 to 256 columns");
    refuses({x_view.data, 41, 5, 4}, y_view, "leading dimension");
    refuses(x_view, {y.data(), 40, 5, 4}, "leading dimension");
    HostVector<T> shared(1000);
    refuses({shared.data(), 41, 5, 5}, {shared.data() + 204, 40, 5, 5}, "overlap");
    refuses({shared.data() + 199, 41, 5, 5}, {shared.data(), 40, 5, 5}, "overlap");
    spmm(this->backend, a, HostMatrix<const T>{shared.data(), 41, 5, 5}, HostMatrix<T>{shared.data() + 205, 40, 5, 5});
    spmm(this->backend, a, HostMatrix<const T>{shared.data() + 200, 41, 5, 5}, HostMatrix<T>{shared.data(), 40, 5, 5});
}

TYPED_TEST(Spmm, OperatorsMultiplyPanels) {
    using T = typename TypeParam::type;
    const auto a = random_csr<T>({.n_rows = 200, .n_cols = 200});
    OpenMP maker(1);
    const RowStatistics rows = row_statistics(maker, a);
    const SpmmReference<T> reference(a, {.k = 8, .alpha = -2, .beta = 0.5, .padding = 2});
    for (const std::string_view format : AllFormats::names) {
        SCOPED_TRACE(format);
        const auto chosen = choose_operator<typename TypeParam::backend, T>(this->backend, with_wide_offsets(a), rows,
                                                                            {.format = std::string(format)});
        auto y = reference.y().values.clone();
        spmm(this->backend, chosen.a, reference.x().view(), reference.y().view_of(y), -2, T(0.5));
        EXPECT_TRUE(reference.accepts(y));
    }
}

TYPED_TEST(Spmm, UnknownKernelNamesTheKnown) {
    const HostCsr<typename TypeParam::type> a;
    try {
        find_spmm_kernel(this->backend, a, "fastest");
        FAIL() << "found a kernel 'fastest'";
    } catch (const InvalidArgument& error) {
        for (const auto& kernel : spmm_kernels(this->backend, a)) {
            EXPECT_NE(std::string(error.what()).find(kernel.name), std::string::npos) << error.what();
            EXPECT_EQ(find_spmm_kernel(this->backend, a, kernel.name).run, kernel.run);
        }
    }
}

template <class T>
class OpenMPSpmm : public ::testing::Test {};
TYPED_TEST_SUITE(OpenMPSpmm, EveryType);

TYPED_TEST(OpenMPSpmm, BitsDoNotDependOnTheThreads) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 2001, .n_cols = 2001, .mean_row = 11, .full_row = 1800});
    for (const Index k : {1, 3, 8, 20}) {
        const SpmmReference<T> reference(a, {.k = k, .alpha = 1.5, .beta = -0.75});
        const OpenMP any;
        for_each_format(a, [&](const std::string& label, const auto& matrix) {
            for (const auto& kernel : spmm_kernels(any, matrix)) {
                SCOPED_TRACE(label + "/" + std::string(kernel.name));
                HostVector<T> first;
                for (const int threads : {1, 2, 3, 7}) {
                    OpenMP backend(threads);
                    auto y = reference.y().values.clone();
                    kernel.run(backend, matrix, reference.arguments(reference.x().values.data(), y.data()));
                    if (threads == 1) {
                        ASSERT_TRUE(reference.accepts(y));
                        first = std::move(y);
                        continue;
                    }
                    EXPECT_TRUE(std::equal(y.begin(), y.end(), first.begin())) << threads;
                }
            }
        });
    }
}

}  // namespace
}  // namespace stiefel::test
