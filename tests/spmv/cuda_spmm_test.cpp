#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/spmm.hpp"

#include "support/cuda.hpp"
#include "support/formats.hpp"
#include "support/spmm_reference.hpp"

#include <array>
#include <cstdio>
#include <span>

namespace stiefel::test {
namespace {

template <class T>
class CudaSpmm : public OnCuda {
protected:
    /// Every rung for every format of a, as f(kernel, matrix on the device).
    template <class F>
    void for_each_rung(const HostCsr<T>& a, F&& f) {
        for_each_format(a, [&](const std::string& label, const auto& host) {
            const auto matrix = stiefel::to_device(backend(), host);
            for (const auto& kernel : spmm_kernels(backend(), matrix)) {
                SCOPED_TRACE(label + "/" + std::string(kernel.name) + " " + std::to_string(a.n_rows) + " x " +
                             std::to_string(a.n_cols));
                f(kernel, matrix);
                if (this->HasFatalFailure()) return;
            }
        });
    }

    /// Every rung for every format against the references of some panels.
    void check(const HostCsr<T>& a, std::span<const Index> columns) {
        std::vector<SpmmReference<T>> references;
        std::vector<DeviceVector<T>> x;
        for (const Index k : columns) {
            references.emplace_back(a, spmm_case(k, turn_++));
            x.push_back(this->to_device(references.back().x().values));
        }
        for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            for (std::size_t i = 0; i < references.size(); ++i) {
                auto y = this->to_device(references[i].y().values);
                kernel.run(backend(), matrix, references[i].arguments(x[i].data(), y.data()));
                ASSERT_TRUE(references[i].accepts(this->to_host(y))) << references[i].what();
            }
        });
    }

private:
    int turn_ = 0;
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaSpmm, Types);

TYPED_TEST(CudaSpmm, EveryShapeAndWidth) {
    for_each_spmm_matrix<TypeParam>([&](const auto& a) { this->check(a, spmm_widths); });
}

/// A few matrices and widths, for compute-sanitizer.
TYPED_TEST(CudaSpmm, FewShapesAndWidths) {
    using T = TypeParam;
    constexpr std::array columns{1, 3, 4, 8, 20, 32, 64};
    this->check(random_csr<T>({.n_rows = 67, .n_cols = 40, .mean_row = 4}), columns);
    this->check(random_csr<T>({.n_rows = 5, .n_cols = 700, .mean_row = 300, .full_row = 2}), columns);
}

/// Some rungs read the matrix before the kernel ahead has ended; none may miss what kernels wrote to it, be it the one
/// ahead or the one before that.
TYPED_TEST(CudaSpmm, SeesWhatWasWrittenToTheMatrix) {
    using T = TypeParam;
    constexpr Index n = 4000, k = 8;
    auto a = stiefel::to_device(this->backend(), random_csr<T>({.n_rows = n, .n_cols = n, .mean_row = 50}));
    const auto x = this->to_device(HostVector<T>(n * k, T{1}));
    DeviceVector<T> y(this->backend(), n * k), other(this->backend(), 100);
    for (const auto& kernel : spmm_kernels(this->backend(), a)) {
        SCOPED_TRACE(kernel.name);
        const auto multiply = [&] {
            kernel.run(this->backend(), a, {.x = x.data(), .ldx = k, .y = y.data(), .ldy = k, .k = k});
        };
        multiply();
        const HostVector<T> before = this->to_host(y);
        for (int turn = 1; turn <= 40; ++turn) {
            const bool doubled = turn % 2 == 1;
            scale(this->backend(), doubled ? 1 : -1, a.values);
            EXPECT_FALSE(a.values.is_settled());
            if (turn % 4 < 2) fill(this->backend(), T{0}, other);
            multiply();
            const HostVector<T> after = this->to_host(y);
            Size n_stale = 0;
            for (Size i = 0; i < y.size(); ++i) n_stale += after[i] != (doubled ? 2 : 1) * before[i];
            ASSERT_EQ(n_stale, 0) << "in turn " << turn;
        }
    }
}

TYPED_TEST(CudaSpmm, ManyRows) {
    using T = TypeParam;
    this->check(random_csr<T>({.n_rows = 20000, .n_cols = 20000, .mean_row = 8}), every_path_columns);
    this->check(random_csr<T>({.n_rows = 70000, .n_cols = 70000, .mean_row = 27}), std::array{8, 32});
}

TYPED_TEST(CudaSpmm, LongRows) {
    using T = TypeParam;
    this->check(random_csr<T>({.n_rows = 3000, .n_cols = 3000, .mean_row = 8, .full_row = 2047}), every_path_columns);
    this->check(random_csr<T>({.n_rows = 40, .n_cols = 4000, .mean_row = 2500, .full_row = 7}), every_path_columns);
}

/// Rows for a thread, a team, a warp, a block and a cluster side by side, short ones in between.
TYPED_TEST(CudaSpmm, RowsOfAllLengths) {
    using T = TypeParam;
    constexpr Index n = 5000;
    constexpr std::array<Index, 14> lengths{0, 1, 3, 4, 5, 31, 33, 65, 129, 257, 600, 2048, 2049, 4999};
    std::vector<std::vector<std::pair<Index, T>>> rows;
    for (Index i = 0; i < 300; ++i) {
        const Index length = i % 3 == 0 ? lengths[static_cast<std::size_t>(i / 3) % lengths.size()] : i % 4;
        auto& row = rows.emplace_back();
        for (Index j = 0; j < length; ++j) {
            row.push_back({static_cast<Index>(Size{j} * n / length), T(1) / T(1 + (i + j) % 7)});
        }
    }
    this->check(csr_from_rows<T>(n, rows), every_path_columns);
    rows.resize(40);
    this->check(csr_from_rows<T>(n, rows), std::array{3, 8});
}

TYPED_TEST(CudaSpmm, NanInXReachesTheElementsThatReferToIt) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 1000, .n_cols = 1000, .empty_rows = false});
    for (const Index k : {1, 2, 3, 4, 8, 16, 19, 32, 64}) {
        auto x = random_vector<T>(Size{1000} * k, 10);
        x[Size{617} * k + k / 2] = std::numeric_limits<T>::quiet_NaN();
        const auto on_device = this->to_device(x);
        this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            auto y = this->to_device(HostVector<T>(Size{1000} * k, std::numeric_limits<T>::quiet_NaN()));
            kernel.run(this->backend(), matrix, {.x = on_device.data(), .ldx = k, .y = y.data(), .ldy = k, .k = k});
            ASSERT_TRUE(nan_went_where_it_belongs(a, this->to_host(y), k, 617, k / 2));
        });
    }
}

TYPED_TEST(CudaSpmm, RelativeErrorsAreReported) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 3000, .n_cols = 3000, .mean_row = 40, .full_row = 1500});
    const SpmmReference<T> reference(a, {.k = 8});
    const auto x = this->to_device(reference.x().values);
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        auto y = this->to_device(reference.y().values);
        kernel.run(this->backend(), matrix, reference.arguments(x.data(), y.data()));
        const RelativeErrors errors = reference.errors(this->to_host(y));
        std::printf("cuda %s %s %zu-byte: relative error max %.2Lg, mean %.2Lg\n", std::string(kernel.format).c_str(),
                    std::string(kernel.name).c_str(), sizeof(T), errors.max, errors.mean);
        constexpr long double eps = std::numeric_limits<T>::epsilon();
        EXPECT_TRUE(errors.max <= 100 * eps);
        EXPECT_TRUE(errors.mean <= eps);
    });
}

TYPED_TEST(CudaSpmm, RunsRepeatBitForBit) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 3000, .n_cols = 3000, .mean_row = 8, .full_row = 2047});
    for (const Index k : {3, 8}) {
        const SpmmReference<T> reference(a, {.k = k, .alpha = 1.5, .beta = -0.75});
        const auto x = this->to_device(reference.x().values);
        this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            HostVector<T> first;
            for (int run = 0; run < 3; ++run) {
                auto y = this->to_device(reference.y().values);
                kernel.run(this->backend(), matrix, reference.arguments(x.data(), y.data()));
                auto found = this->to_host(y);
                if (run == 0) {
                    first = std::move(found);
                } else {
                    ASSERT_TRUE(std::ranges::equal(found, first));
                }
            }
        });
    }
}

TYPED_TEST(CudaSpmm, DefaultsOperatorsAndSizeErrors) {
    using T = TypeParam;
    const auto host = random_csr<T>({.n_rows = 200, .n_cols = 200});
    OpenMP maker(1);
    const RowStatistics rows = row_statistics(maker, host);
    const SpmmReference<T> reference(host, {.k = 8, .alpha = -2, .beta = 0.5, .padding = 2});
    const auto x = this->to_device(reference.x().values);
    const DeviceMatrix<const T> x_view{x.data(), 200, 8, reference.x().ld};
    for (const std::string_view format : AllFormats::names) {
        SCOPED_TRACE(format);
        const auto chosen = choose_operator<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), host), rows,
                                                     {.format = std::string(format)});
        auto y = this->to_device(reference.y().values);
        spmm(this->backend(), chosen.a, x_view, {y.data(), 200, 8, reference.y().ld}, -2, T(0.5));
        EXPECT_TRUE(reference.accepts(this->to_host(y)));
    }
    const auto a = stiefel::to_device(this->backend(), host);
    auto y = make_multivector<T>(this->backend(), 200, 8);
    EXPECT_THROW(spmm(this->backend(), a, x_view, y.columns(0, 7)), InvalidArgument);
    EXPECT_THROW(spmm(this->backend(), a, y.view(), y.view()), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
