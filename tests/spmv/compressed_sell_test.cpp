#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/scaled_csr.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"

#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"

#include "support/matrices.hpp"
#include "support/spmv_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

/// What a conversion to T multiplies with.
template <class T>
HostCsr<T> rounded(const HostCsr<double>& a, const HostVector<double>& left, const HostVector<double>& right) {
    OpenMP backend(1);
    return scaled_copy<T>(backend, ScaledCsr<double>{a, left, right});
}

template <class T>
class CompressedSellTest : public ::testing::Test {
protected:
    /// Products with vectors and panels against the reference, for either beta.
    void expect_products(const HostCsr<double>& a, Index sigma) {
        const HostVector<double> left = random_vector<double>(a.n_rows, 1), right = random_vector<double>(a.n_cols, 2);
        const auto m = compressed_sell_from_csr<T>(backend, ScaledCsr<double>{a, left, right}, sigma, no_limit);
        const HostCsr<T> same = rounded<T>(a, left, right);
        EXPECT_EQ(m.nnz(), a.nnz());
        for (const T beta : {T{0}, T{-0.5}}) {
            const HostVector<T> x = random_vector<T>(a.n_cols, 3);
            HostVector<T> y = random_vector<T>(a.n_rows, 4);
            const auto reference = spmv_reference(same, x, y, T{1.5}, beta);
            if (beta == 0) std::fill(y.begin(), y.end(), std::numeric_limits<T>::quiet_NaN());
            spmv(backend, m, x, y, T{1.5}, beta);
            expect_within(y, reference);
            for (const Index k : {1, 3, 4, 13}) expect_panel(same, m, k, beta);
        }
    }

    void expect_panel(const HostCsr<T>& same, const CompressedSell<T>& m, Index k, T beta) {
        const Size ldx = k + 1, ldy = k + 2;
        const HostVector<T> x = random_vector<T>(m.n_cols * ldx, 5);
        HostVector<T> y = random_vector<T>(m.n_rows * ldy, 6);
        const HostVector<T> before = y.clone();
        spmm(backend, m, {x.data(), m.n_cols, k, ldx}, {y.data(), m.n_rows, k, ldy}, T{1.5}, beta);
        for (Index column = 0; column < k; ++column) {
            HostVector<T> one_x(m.n_cols), one_y(m.n_rows), found(m.n_rows);
            for (Index i = 0; i < m.n_cols; ++i) one_x[i] = x[i * ldx + column];
            for (Index i = 0; i < m.n_rows; ++i) one_y[i] = before[i * ldy + column];
            for (Index i = 0; i < m.n_rows; ++i) found[i] = y[i * ldy + column];
            expect_within(found, spmv_reference(same, one_x, one_y, T{1.5}, beta));
        }
        for (Index i = 0; i < m.n_rows; ++i) EXPECT_EQ(y[i * ldy + k], before[i * ldy + k]) << "beyond the panel";
    }

    /// How many slices say their columns in this way.
    static Index count(const CompressedSell<T>& m, SliceColumns columns) {
        Index n = 0;
        for (Index slice = 0; slice < m.n_slices(); ++slice) n += m.slices[slice].columns == columns;
        return n;
    }

    CompressedSell<T> unscaled(const HostCsr<double>& a, PaddingLimit limit = no_limit) {
        const HostVector<double> left(a.n_rows, 1.0), right(a.n_cols, 1.0);
        return compressed_sell_from_csr<T>(backend, ScaledCsr<double>{a, left, right}, 1, limit);
    }

    OpenMP backend{2};
    static constexpr PaddingLimit no_limit{.factor = 1e9};
};

using FloatFirst = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CompressedSellTest, FloatFirst);

TYPED_TEST(CompressedSellTest, MultipliesMatricesOfAllShapes) {
    for (const RandomCsr& shape :
         {RandomCsr{.n_rows = 0, .n_cols = 0}, RandomCsr{.n_rows = 3, .n_cols = 0}, RandomCsr{.n_rows = 1, .n_cols = 1},
          RandomCsr{.n_rows = 31, .n_cols = 31}, RandomCsr{.n_rows = 32, .n_cols = 40},
          RandomCsr{.n_rows = 33, .n_cols = 33}, RandomCsr{.n_rows = 700, .n_cols = 90, .full_row = 100},
          RandomCsr{.n_rows = 90, .n_cols = 200000}, RandomCsr{.n_rows = 3000, .n_cols = 3000, .mean_row = 20}}) {
        SCOPED_TRACE(std::to_string(shape.n_rows) + " x " + std::to_string(shape.n_cols));
        const HostCsr<double> a = random_csr<double>(shape);
        for (const Index sigma : {1, 256}) this->expect_products(a, sigma);
        this->expect_products(with_wide_offsets(a), 256);
    }
    this->expect_products(poisson3d<double>(this->backend, 20, 7, 5), 1);
    this->expect_products(stencil27<double>(this->backend, 9, 9, 4), 256);
}

TYPED_TEST(CompressedSellTest, StoresNothingForColumnsOfDiagonals) {
    const auto m = this->unscaled(poisson3d<double>(this->backend, 30, 30, 30));
    const Index n = m.n_slices();
    EXPECT_GE(this->count(m, SliceColumns::diagonals), n - 6);  // within which one of six diagonals begins or ends
    EXPECT_EQ(this->count(m, SliceColumns::far), 0);
    EXPECT_LT(static_cast<double>(m.bytes()), 1.1 * 7 * m.n_rows * sizeof(TypeParam));
}

/// Lines of 30 and of 41 begin anywhere within slices of 32, nodes of three unknowns too; of those with a boundary
/// within them many are alike as well.
TYPED_TEST(CompressedSellTest, StoresSlicesOfConstantCoefficientsOnce) {
    using T = TypeParam;
    for (const auto& a :
         std::array{poisson3d<double>(this->backend, 30, 30, 30), poisson2d<double>(this->backend, 41, 700),
                    stencil27<double>(this->backend, 32, 20, 20), elasticity3d<double>(this->backend, 60, 12, 12)}) {
        const auto m = this->unscaled(a);
        EXPECT_LT(4 * m.values.size(), a.nnz());
        const HostVector<T> x = random_vector<T>(a.n_cols, 3);
        const HostVector<double> unscaled(a.n_rows, 1.0);
        HostVector<T> y(a.n_rows);
        spmv(this->backend, m, x, y, T{1}, T{0});
        expect_within(y, spmv_reference(rounded<T>(a, unscaled, unscaled), x, y, T{1}, T{0}));
    }
    const auto of_all_kinds = this->unscaled(random_csr<double>({.n_rows = 3000, .n_cols = 3000, .mean_row = 20}));
    EXPECT_GE(of_all_kinds.values.size(), of_all_kinds.nnz());
}

/// Blocks of 32 rows, each coupled to the row before: of the first, a diagonal leaves the matrix, so that none of those
/// that hold the same can have it from there. Kinds that take turns, more than a thread remembers, are found all the
/// same, by any number of threads.
TYPED_TEST(CompressedSellTest, StoresSlicesOfManyKindsOnceEach) {
    constexpr Index height = 32, n = height * 400, kinds = 20, diagonals = 2;
    std::vector<std::vector<std::pair<Index, double>>> rows(n);
    for (Index i = 0; i < n; ++i) {
        const double value = 1 + i / height % kinds;
        if (i % height != 0) rows[static_cast<std::size_t>(i)].emplace_back(i - 1, -value);
        rows[static_cast<std::size_t>(i)].emplace_back(i, value);
    }
    const HostCsr<double> a = csr_from_rows<double>(n, rows);
    for (const int threads : {1, 3}) {
        this->backend = OpenMP(threads);
        const auto m = this->unscaled(a);
        EXPECT_EQ(this->count(m, SliceColumns::diagonals), m.n_slices() - 1);
        EXPECT_EQ(m.values.size(), height * diagonals * (kinds + 1));
        this->expect_products(a, 1);
    }
}

/// One entry that is another number, by its last bit, or stands elsewhere.
TYPED_TEST(CompressedSellTest, SharesNothingThatDiffers) {
    using T = TypeParam;
    constexpr Index side = 64, row = side * side / 2 + 5;
    const HostCsr<double> same = poisson2d<double>(this->backend, side, side);
    const auto of_same = this->unscaled(same);
    const auto begin_of = [&](Index i) {
        return same.row_ptr.visit([i](const auto* row_ptr) { return Size{row_ptr[i]}; });
    };
    const Size first = begin_of(row);
    for (Size k = first; k < begin_of(row + 1); ++k) {
        HostCsr<double> a = poisson2d<double>(this->backend, side, side);
        const auto value = static_cast<T>(a.values[k]);
        a.values[k] = static_cast<double>(std::nextafter(value, T{10}));
        const auto m = this->unscaled(a);
        EXPECT_EQ(m.values.size(), of_same.values.size() + 5 * m.slice_height) << "one slice more";
        HostVector<T> x(a.n_cols, T{0}), y(a.n_rows);
        x[a.col_idx[k]] = 1;
        spmv(this->backend, m, x, y, T{1}, T{0});
        EXPECT_EQ(y[row], static_cast<T>(a.values[k]));
        x[a.col_idx[k]] = 0;
        x[a.col_idx[k] + 2 * side] = 1;  // of the same entry, two lines further on
        spmv(this->backend, m, x, y, T{1}, T{0});
        EXPECT_EQ(y[row + 2 * side], value);
    }
    for (const bool of_rows : {true, false}) {  // what the entries are multiplied with, of one row or one column
        HostVector<double> left(same.n_rows, 2.0), right(same.n_cols, 0.5);
        (of_rows ? left : right)[row] *= 3;
        const auto m = compressed_sell_from_csr<T>(this->backend, ScaledCsr<double>{same, left, right}, 1);
        EXPECT_GT(m.values.size(), of_same.values.size());
        EXPECT_LT(4 * m.values.size(), same.nnz());
        const HostVector<T> x = random_vector<T>(same.n_cols, 3);
        HostVector<T> y(same.n_rows);
        spmv(this->backend, m, x, y, T{1}, T{0});
        expect_within(y, spmv_reference(rounded<T>(same, left, right), x, y, T{1}, T{0}));
    }
    HostCsr<double> moved = poisson2d<double>(this->backend, side, side);
    --moved.col_idx[first];
    const auto m = this->unscaled(moved);
    HostVector<T> x(moved.n_cols, T{0}), y(moved.n_rows);
    x[moved.col_idx[first]] = 1;
    spmv(this->backend, m, x, y, T{1}, T{0});
    EXPECT_EQ(y[row], static_cast<T>(moved.values[first]));
}

TYPED_TEST(CompressedSellTest, TakesTwoBytesForColumnsNearEachOtherAndFourForOthers) {
    const auto near = this->unscaled(random_csr<double>({.n_rows = 320, .n_cols = 60000}));
    EXPECT_EQ(this->count(near, SliceColumns::near), near.n_slices());
    const auto far = this->unscaled(random_csr<double>({.n_rows = 320, .n_cols = 6000000, .empty_rows = false}));
    EXPECT_EQ(this->count(far, SliceColumns::far), far.n_slices());
    // The widest distance that fits, and the next.
    for (const Index beyond : {0, 1}) {
        const auto m = this->unscaled(csr_from_rows<double>(70000, {{{10, 1}}, {{65545 + beyond, 1}}}));
        EXPECT_EQ(m.slices[0].columns, beyond == 0 ? SliceColumns::near : SliceColumns::far);
        HostVector<TypeParam> x(70000, 0), y(2);
        x[10] = 2;
        x[65545 + beyond] = 3;
        spmv(this->backend, m, x, y, TypeParam{1}, TypeParam{0});
        EXPECT_EQ(y[0], 2);
        EXPECT_EQ(y[1], 3);
    }
}

TYPED_TEST(CompressedSellTest, PaddingAddsNothingWhateverXHolds) {
    using T = TypeParam;
    // A grid whose lines end within slices, rows of all lengths, and columns further apart than 16 bits.
    for (const auto& a :
         std::array{poisson2d<double>(this->backend, 11, 40), random_csr<double>({.n_rows = 500, .n_cols = 500}),
                    random_csr<double>({.n_rows = 90, .n_cols = 200000})}) {
        const auto m = this->unscaled(a);
        EXPECT_TRUE(std::any_of(m.slices.begin(), m.slices.end(), [](const auto& slice) { return slice.padded; }));
        for (const Index bad : {Index{0}, a.n_cols / 2, a.n_cols - 1}) {
            for (const Index k : {1, 3}) {
                HostVector<T> x(Size{a.n_cols} * k, T{1}), y(Size{a.n_rows} * k);
                x[Size{bad} * k] = std::numeric_limits<T>::quiet_NaN();
                if (k == 1) {
                    spmv(this->backend, m, x, y, T{1}, T{0});
                } else {
                    spmm(this->backend, m, {x.data(), a.n_cols, k, k}, {y.data(), a.n_rows, k, k}, T{1}, T{0});
                }
                a.row_ptr.visit([&](const auto* row_ptr) {
                    for (Index i = 0; i < a.n_rows; ++i) {
                        const Index* const end = a.col_idx.data() + row_ptr[i + 1];
                        const bool refers = std::find(a.col_idx.data() + row_ptr[i], end, bad) != end;
                        ASSERT_EQ(std::isnan(y[Size{i} * k]), refers) << "row " << i << ", column " << bad;
                    }
                });
            }
        }
    }
}

TYPED_TEST(CompressedSellTest, AStoredZeroIsAnEntry) {
    using T = TypeParam;
    const double nothing = std::is_same_v<T, float> ? 1e-60 : 0.0;  // rounded to 0 in float
    const auto m = this->unscaled(csr_from_rows<double>(3, {{{0, 2}, {1, nothing}}, {}, {{1, -0.0}}}));
    HostVector<T> x{1, 1, 1}, y(3);
    spmv(this->backend, m, x, y, T{1}, T{0});
    EXPECT_EQ(y[0], 2);
    for (Index i : {1, 2}) EXPECT_TRUE(y[i] == 0 && !std::signbit(y[i])) << i;
    x[1] = std::numeric_limits<T>::infinity();
    spmv(this->backend, m, x, y, T{1}, T{0});
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[1], 0);
    EXPECT_TRUE(std::isnan(y[2]));
}

TYPED_TEST(CompressedSellTest, HasTheSameBitsOnAnyNumberOfThreads) {
    const HostCsr<double> a = random_csr<double>({.n_rows = 20000, .n_cols = 20000, .mean_row = 9, .seed = 8});
    const HostVector<double> scale = random_vector<double>(a.n_rows, 9);
    const HostVector<TypeParam> x = random_vector<TypeParam>(a.n_cols, 10);
    const auto product = [&](int threads) {
        OpenMP on(threads);
        const auto m = compressed_sell_from_csr<TypeParam>(on, ScaledCsr<double>{a, scale, scale}, 256);
        HostVector<TypeParam> y(a.n_rows);
        spmv(on, m, x, y, TypeParam{1}, TypeParam{0});
        return y;
    };
    const auto one = product(1), three = product(3);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), static_cast<std::size_t>(one.bytes())), 0);
}

TYPED_TEST(CompressedSellTest, RefusesTooMuchPadding) {
    const HostCsr<double> a = random_csr<double>({.n_rows = 320, .n_cols = 320, .full_row = 5});
    EXPECT_THROW(this->unscaled(a, {.factor = 1.5}), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
