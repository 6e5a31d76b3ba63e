#include "stiefel/spmv/openmp/spmm/simd/kernel.hpp"

#include "stiefel/core/cache_lines.hpp"
#include "support/backends.hpp"
#include "support/formats.hpp"
#include "support/spmm_reference.hpp"

#include <string>

namespace stiefel::test {
namespace {

/// The kernels of every instruction set that this machine has, each with its name.
template <class Rows, class F>
void for_each_instruction_set(F&& f) {
    f("baseline", rows_kernel<Baseline, Rows>());
    if (has_avx2()) f("avx2", rows_kernel<Avx2, Rows>());
    if (has_avx512()) f("avx512", rows_kernel<Avx512, Rows>());
}

/// What X' Y is for the Y that was computed, in double and any order.
template <class T>
::testing::AssertionResult is_gram(const PaddedMatrix<T>& x, const HostVector<T>& y, Size ldy,
                                   const HostVector<double>& gram) {
    for (Size i = 0; i < x.n_cols; ++i) {
        for (Size j = 0; j < x.n_cols; ++j) {
            long double exact = 0, absolute = 0;
            for (Size row = 0; row < x.n_rows; ++row) {
                const long double term = static_cast<long double>(x(row, i)) * y[row * ldy + j];
                exact += term;
                absolute += std::abs(term);
            }
            const auto close = within(gram[i * x.n_cols + j], exact, sum_bound<double>(x.n_rows, absolute));
            if (!close) return ::testing::AssertionFailure() << "G(" << i << ", " << j << "): " << close.message();
        }
    }
    return ::testing::AssertionSuccess();
}

template <class T>
class SpmmRowsKernel : public ::testing::Test {
protected:
    /// f(name, kernel, rows) for every format and instruction set.
    template <class F>
    void for_each_kernel(const HostCsr<T>& a, F&& f) {
        for_each_format_with_columns(a, [&](const std::string& label, const auto& matrix) {
            with_rows(matrix, [&]<class Rows>(const Rows& rows) {
                for_each_instruction_set<Rows>([&](const std::string& name, const RowsKernel<Rows>& kernel) {
                    SCOPED_TRACE(label + "/" + name);
                    f(kernel, rows);
                });
            });
        });
    }
};
TYPED_TEST_SUITE(SpmmRowsKernel, EveryType);

TYPED_TEST(SpmmRowsKernel, MultipliesAndMayWriteAroundTheCaches) {
    using T = TypeParam;
    for (const Index n : {1, 33, 200}) {
        const auto a = random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2});
        for (const Index k : every_path_columns) {
            const SpmmReference<T> reference(a, {.k = k});
            this->for_each_kernel(a, [&](const auto& kernel, const auto& rows) {
                auto y = reference.y().values.clone();
                ASSERT_TRUE(std::all_of(y.begin(), y.end(), [](T v) { return std::isnan(v); }));
                const bool streams = fills_cache_lines(y.data(), k, reference.y().ld);
                const auto arguments = reference.arguments(reference.x().values.data(), y.data());
                const Size middle = rows.size() / 32 * 16;
                kernel.multiply(rows, arguments, streams, middle, rows.size());
                kernel.multiply(rows, arguments, streams, 0, middle);
                EXPECT_TRUE(reference.accepts(y)) << reference.what() << ", streams " << streams;
            });
        }
    }
}

TYPED_TEST(SpmmRowsKernel, HoldsTheGramMatrixOfSomeWidths) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 200, .n_cols = 200, .full_row = 100});
    Size held = 0;
    for (const Index k : every_path_columns) {
        const SpmmReference<T> reference(a, {.k = k});
        this->for_each_kernel(a, [&](const auto& kernel, const auto& rows) {
            if (!kernel.holds_gram(k)) return;
            ++held;
            for (const bool streams : {false, true}) {
                auto y = reference.y().values.clone();
                HostVector<double> gram(Size{k} * k, 0.0);
                const auto arguments = reference.arguments(reference.x().values.data(), y.data());
                kernel.multiply_with_gram(rows, arguments, streams, 0, 96, gram.data());
                kernel.multiply_with_gram(rows, arguments, streams, 96, rows.size(), gram.data());
                EXPECT_TRUE(reference.accepts(y)) << reference.what() << ", streams " << streams;
                EXPECT_TRUE(is_gram(reference.x(), y, reference.y().ld, gram)) << reference.what();
            }
        });
    }
    if (std::is_same_v<T, double>) {
        EXPECT_GT(held, 0);
    } else {
        EXPECT_EQ(held, 0);
    }
}

TEST(CacheLines, AreFilledByRowsThatBeginThemOrShareThem) {
    alignas(64) double lines[16] = {};
    EXPECT_TRUE(fills_cache_lines(lines, 8, 8));
    EXPECT_TRUE(fills_cache_lines(lines, 8, 16));
    EXPECT_TRUE(fills_cache_lines(lines, 24, 24));
    EXPECT_TRUE(fills_cache_lines(lines, 2, 2));
    EXPECT_FALSE(fills_cache_lines(lines, 2, 4));
    EXPECT_FALSE(fills_cache_lines(lines, 8, 12));
    EXPECT_FALSE(fills_cache_lines(lines, 3, 3));
    EXPECT_FALSE(fills_cache_lines(lines, 12, 12));
    EXPECT_FALSE(fills_cache_lines(lines, 0, 1));
    EXPECT_FALSE(fills_cache_lines(lines + 1, 8, 8));
    EXPECT_TRUE(fills_cache_lines(reinterpret_cast<const float*>(lines), 8, 8));
}

}  // namespace
}  // namespace stiefel::test
