// Float values under double vectors: every rung gives, to the last bit, what it gives for the same values in double.

#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"

#include "stiefel/solver/cg.hpp"
#include "support/formats.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiefel::test {
namespace {

/// The same numbers in double.
HostCsr<double> widened(const HostCsr<float>& a) {
    HostCsr<double> wide{.n_rows = a.n_rows, .n_cols = a.n_cols};
    HostVector<std::int32_t> row_ptr(Size{a.n_rows} + 1);
    a.row_ptr.visit([&](const auto* offsets) {
        for (Index i = 0; i <= a.n_rows; ++i) row_ptr[i] = static_cast<std::int32_t>(offsets[i]);
    });
    wide.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    wide.col_idx = a.col_idx.clone();
    wide.values = HostVector<double>(a.nnz());
    for (Size k = 0; k < a.nnz(); ++k) wide.values[k] = static_cast<double>(a.values[k]);
    return wide;
}

template <class B>
class MixedPrecision : public ::testing::Test {
protected:
    /// All rungs of a matrix of floats against those of the same name for doubles.
    template <class Narrow, class Wide>
    void expect_same_bits(const Narrow& narrow, const Wide& wide) {
        const auto x = random_vector<double>(narrow.n_cols, 5);
        const auto before = random_vector<double>(narrow.n_rows, 6);
        for (const auto& kernel : spmv_kernels_under<double>(backend, narrow)) {
            SCOPED_TRACE(std::string(kernel.format) + "/" + std::string(kernel.name));
            HostVector<double> y = before.clone(), expected = before.clone();
            const bool square = narrow.n_rows == narrow.n_cols;
            double dot = 0, expected_dot = 0;
            kernel.run(backend, narrow, {x.data(), y.data(), 1.5, -0.5, square ? &dot : nullptr});
            find_kernel(backend, wide, kernel.name)
                .run(backend, wide, {x.data(), expected.data(), 1.5, -0.5, square ? &expected_dot : nullptr});
            for (Index i = 0; i < narrow.n_rows; ++i) ASSERT_EQ(y[i], expected[i]) << i;
            EXPECT_EQ(dot, expected_dot);
        }
    }

    B backend{};
    OpenMP converter{2};
};

using Hosts = ::testing::Types<Serial, OpenMP>;
TYPED_TEST_SUITE(MixedPrecision, Hosts);

TYPED_TEST(MixedPrecision, EveryRungSumsInTheTypeOfTheVectors) {
    for (const RandomCsr& shape : {RandomCsr{.n_rows = 0, .n_cols = 0}, RandomCsr{.n_rows = 33, .n_cols = 33},
                                   RandomCsr{.n_rows = 200, .n_cols = 601, .mean_row = 9},
                                   RandomCsr{.n_rows = 5000, .n_cols = 5000, .mean_row = 8, .full_row = 2047}}) {
        const HostCsr<float> narrow = random_csr<float>(shape);
        const HostCsr<double> wide = widened(narrow);
        this->expect_same_bits(narrow, wide);
        for (Index sigma : {1, 256}) {
            this->expect_same_bits(sell_from_csr(this->converter, narrow, 32, sigma, no_limit),
                                   sell_from_csr(this->converter, wide, 32, sigma, no_limit));
            this->expect_same_bits(compressed_sell_from_csr(this->converter, narrow, sigma, no_limit),
                                   compressed_sell_from_csr(this->converter, wide, sigma, no_limit));
        }
    }
}

TYPED_TEST(MixedPrecision, SumsAreNotThoseOfFloats) {
    // 1 + 2^-30 + ... cannot be told from 1 in float.
    const HostCsr<float> a = csr_from_rows<float>(2, {{{0, 1}, {1, 1}}});
    const HostVector<double> x{1, 0x1p-30};
    HostVector<double> y(1);
    spmv(this->backend, a, x, y);
    EXPECT_EQ(y[0], 1 + 0x1p-30);
}

TYPED_TEST(MixedPrecision, ConjugateGradientsTakeItAsAnyOperator) {
    // tridiag(-1, 2, -1) is the same in both, so all iterates are.
    std::vector<std::vector<std::pair<Index, float>>> rows(500);
    for (Index i = 0; i < 500; ++i) {
        auto& row = rows[static_cast<std::size_t>(i)];
        if (i > 0) row.emplace_back(i - 1, -1.0f);
        row.emplace_back(i, 2.0f);
        if (i < 499) row.emplace_back(i + 1, -1.0f);
    }
    const HostCsr<float> narrow = csr_from_rows<float>(500, rows);
    const HostCsr<double> wide = widened(narrow);
    const HostVector<double> b(500, 1.0);
    HostVector<double> x(500, 0.0), expected(500, 0.0);
    const SolveResult result = cg(this->backend, narrow, b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    cg(this->backend, wide, b, expected);
    for (Index i = 0; i < 500; ++i) ASSERT_EQ(x[i], expected[i]) << i;
}

}  // namespace
}  // namespace stiefel::test
