#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <limits>

// What is found out about a matrix on a device is what the host finds out.

namespace stiefel::test {
namespace {

template <class T>
using RowsOf = std::vector<std::vector<std::pair<Index, T>>>;

void expect_same(const RowTally& a, const RowTally& b) {
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.first, b.first);
}

template <class T>
class CudaAnalysis : public OnCuda {
protected:
    OpenMP host{2};

    void check(const HostCsr<T>& a) {
        SCOPED_TRACE(std::to_string(a.n_rows) + " rows");
        const auto there = stiefel::to_device(this->backend(), a);
        const RowStatistics rows = row_statistics(this->backend(), there), expected = row_statistics(host, a);
        EXPECT_EQ(rows.shortest, expected.shortest);
        EXPECT_EQ(rows.longest, expected.longest);
        EXPECT_EQ(rows.longest_row, expected.longest_row);
        EXPECT_EQ(rows.n_empty, expected.n_empty);
        EXPECT_EQ(rows.median, expected.median);
        EXPECT_EQ(rows.mean, expected.mean);
        EXPECT_EQ(rows.deviation, expected.deviation);
        const double norm = infinity_norm(this->backend(), there), norm_here = infinity_norm(host, a);
        const double rounding = (rows.longest + 1) * std::numeric_limits<double>::epsilon();
        EXPECT_TRUE(std::abs(norm - norm_here) <= rounding * norm_here || std::isnan(norm_here)) << norm;
        EXPECT_EQ(std::isnan(norm), std::isnan(norm_here));
        if (a.n_rows != a.n_cols) return;
        const DiagonalEntries found = diagonal_entries(this->backend(), there), wanted = diagonal_entries(host, a);
        expect_same(found.missing, wanted.missing);
        expect_same(found.zero, wanted.zero);
        expect_same(found.negative, wanted.negative);
        EXPECT_EQ(found.min_abs, wanted.min_abs);
        EXPECT_EQ(found.max_abs, wanted.max_abs);
        EXPECT_EQ(is_exactly_symmetric(this->backend(), there), check_symmetry(host, a).exactly_symmetric());
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaAnalysis, Types);

TYPED_TEST(CudaAnalysis, SeesWhatTheHostSees) {
    using T = TypeParam;
    this->check(HostCsr<T>{});
    this->check(poisson2d<T>(this->host, 1, 1));
    this->check(poisson2d<T>(this->host, 300, 200));
    for (const Index n : {1, 33, 1000, 20000}) {
        this->check(random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2, .seed = 1}));
        this->check(random_csr<T>({.n_rows = n, .n_cols = n + 7, .mean_row = 3, .seed = 2}));
    }
}

TYPED_TEST(CudaAnalysis, OneEntryMakesAMatrixUnsymmetric) {
    using T = TypeParam;
    HostCsr<T> a = poisson2d<T>(this->host, 100, 100);
    this->check(a);
    const Size k = a.nnz() - 2;  // beside the diagonal of the last row
    const T before = a.values[k];
    a.values[k] = std::nextafter(before, T{0});
    EXPECT_FALSE(is_exactly_symmetric(this->backend(), stiefel::to_device(this->backend(), a)));
    this->check(a);
    a.values[k] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_FALSE(is_exactly_symmetric(this->backend(), stiefel::to_device(this->backend(), a)));
    // What is not stored is 0.
    this->check(csr_from_rows<T>(2, RowsOf<T>{{{0, 1}, {1, 0}}, {{1, -2}}}));
    this->check(csr_from_rows<T>(2, RowsOf<T>{{{0, 0}, {1, 3}}, {}}));
}

}  // namespace
}  // namespace stiefel::test
