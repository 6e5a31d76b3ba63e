#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/analysis/matrix_facts.hpp"
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

void expect_same(const RowStatistics& a, const RowStatistics& b) {
    EXPECT_EQ(a.shortest, b.shortest);
    EXPECT_EQ(a.longest, b.longest);
    EXPECT_EQ(a.longest_row, b.longest_row);
    EXPECT_EQ(a.n_empty, b.n_empty);
    EXPECT_EQ(a.median, b.median);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.deviation, b.deviation);
}

template <class T>
class CudaAnalysis : public OnCuda {
protected:
    OpenMP host{2};

    void check(const HostCsr<T>& a) {
        SCOPED_TRACE(std::to_string(a.n_rows) + " rows");
        const auto there = stiefel::to_device(this->backend(), a);
        expect_same(row_statistics(this->backend(), there), row_statistics(host, a));
        if (a.n_rows != a.n_cols) return;
        check_facts(there, a);
        check_facts(stiefel::to_device(this->backend(), with_wide_offsets(a)), a);
        check_how_symmetric(a);
    }

    void check_facts(const DeviceCsr<T>& there, const HostCsr<T>& a) {
        const MatrixFacts found = matrix_facts(this->backend(), there), wanted = matrix_facts(host, a);
        expect_same(found.rows, wanted.rows);
        const double rounding = (wanted.rows.longest + 1) * std::numeric_limits<double>::epsilon();
        EXPECT_TRUE(std::abs(found.norm - wanted.norm) <= rounding * wanted.norm || std::isnan(wanted.norm))
            << found.norm;
        EXPECT_EQ(std::isnan(found.norm), std::isnan(wanted.norm));
        expect_same(found.diagonal.missing, wanted.diagonal.missing);
        expect_same(found.diagonal.zero, wanted.diagonal.zero);
        expect_same(found.diagonal.negative, wanted.diagonal.negative);
        EXPECT_EQ(found.diagonal.min_abs, wanted.diagonal.min_abs);
        EXPECT_EQ(found.diagonal.max_abs, wanted.diagonal.max_abs);
        EXPECT_FALSE(found.couplings || wanted.couplings) << "nobody has asked";
        const MatrixFacts more = matrix_facts(this->backend(), there, true);
        EXPECT_EQ(more.couplings.has_value(), matrix_facts(host, a, true).couplings.has_value());
        EXPECT_EQ(more.couplings.has_value(), a.n_rows == 0 || wanted.diagonal.is_positive());
        EXPECT_TRUE(more.norm == found.norm || std::isnan(wanted.norm));
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
