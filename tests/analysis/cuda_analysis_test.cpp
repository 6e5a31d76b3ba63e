#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

// What is found out about a matrix on a device is what the host finds out.

namespace stiefel::test {
namespace {

template <class T>
using RowsOf = std::vector<std::vector<std::pair<Index, T>>>;

void expect_same(const RowTally& a, const RowTally& b) {
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.first, b.first);
}

void expect_same(const std::optional<MirroredPair>& a, const std::optional<MirroredPair>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) return;
    EXPECT_EQ(a->row, b->row);
    EXPECT_EQ(a->col, b->col);
    // A NaN is to be the same NaN.
    EXPECT_EQ(std::bit_cast<std::int64_t>(a->value), std::bit_cast<std::int64_t>(b->value));
    EXPECT_EQ(std::bit_cast<std::int64_t>(a->mirrored), std::bit_cast<std::int64_t>(b->mirrored));
    EXPECT_EQ(a->asymmetry, b->asymmetry);
}

void expect_same(const SymmetryInfo& a, const SymmetryInfo& b) {
    EXPECT_EQ(a.unmirrored.count, b.unmirrored.count);
    EXPECT_EQ(a.unmirrored.first_row, b.unmirrored.first_row);
    EXPECT_EQ(a.unmirrored.first_col, b.unmirrored.first_col);
    expect_same(a.largest, b.largest);
    expect_same(a.first, b.first);
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
        check_how_symmetric(a);
    }

    void check_how_symmetric(const HostCsr<T>& a) {
        const auto narrow = stiefel::to_device(this->backend(), a);
        const auto wide = stiefel::to_device(this->backend(), with_wide_offsets(a));
        for (const double tolerance : {rounding_asymmetry<T>, 0.0, 0.5}) {
            const SymmetryInfo expected = stiefel::check_symmetry(host, a, tolerance);
            expect_same(stiefel::check_symmetry(this->backend(), narrow, tolerance), expected);
            expect_same(stiefel::check_symmetry(this->backend(), wide, tolerance), expected);
        }
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
    for (const T value : {std::nextafter(before, T{0}), -before, std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN()}) {
        a.values[k] = value;
        const SymmetryInfo found = check_symmetry(this->backend(), stiefel::to_device(this->backend(), a));
        ASSERT_TRUE(found.largest);
        EXPECT_EQ(found.largest->row, a.n_rows - 2);
        EXPECT_EQ(found.largest->col, a.n_rows - 1);
        EXPECT_EQ(found.symmetric_within_tolerance(), value == std::nextafter(before, T{0}));
        this->check_how_symmetric(a);
    }
}

TYPED_TEST(CudaAnalysis, WhatIsNotStoredIsZero) {
    using T = TypeParam;
    this->check(csr_from_rows<T>(2, RowsOf<T>{{{0, 1}, {1, 0}}, {{1, -2}}}));
    this->check(csr_from_rows<T>(2, RowsOf<T>{{{0, 0}, {1, 3}}, {}}));
    this->check(csr_from_rows<T>(2, RowsOf<T>{{{0, 1}}, {{0, 3}, {1, 1}}}));
    this->check(csr_from_rows<T>(3, RowsOf<T>{{{0, 1}}, {{0, 0}, {1, 1}}, {{0, 2}, {1, 2}, {2, 8}}}));
}

// The largest is the first of those as large, and one whose measure is rounded to 0 is one.
TYPED_TEST(CudaAnalysis, RoundingMakesManyPairsDiffer) {
    using T = TypeParam;
    HostCsr<T> a = poisson3d<T>(this->host, 20, 20, 20);
    for (Size k = 0; k < a.nnz(); k += 3) a.values[k] = std::nextafter(a.values[k], T{100});
    this->check_how_symmetric(a);
    const T tiny = std::numeric_limits<T>::denorm_min(), large = std::numeric_limits<T>::max() / 4;
    this->check_how_symmetric(csr_from_rows<T>(2, RowsOf<T>{{{0, large}, {1, tiny}}, {{1, large}}}));
}

}  // namespace
}  // namespace stiefel::test
