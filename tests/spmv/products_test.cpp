#include "stiefel/spmv/products/spgemm.hpp"

#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace stiefel::test {
namespace {

template <class T>
class Products : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Products, Types);

/// Against the dense product in extended precision, with the bound of a sum for every entry; the pattern is that of
/// what may differ from zero.
template <class T>
void expect_product(const HostCsr<T>& a, const HostCsr<T>& b, const HostCsr<T>& c) {
    ASSERT_EQ(c.n_rows, a.n_rows);
    ASSERT_EQ(c.n_cols, b.n_cols);
    ASSERT_TRUE(well_formed(c));
    const auto left = dense(a), right = dense(b);
    const auto at = [](const std::vector<long double>& m, Index n_cols, Index i, Index j) {
        return m[static_cast<std::size_t>(Size{i} * n_cols + j)];
    };
    c.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < c.n_rows; ++i) {
            auto k = row_ptr[i];
            for (Index j = 0; j < c.n_cols; ++j) {
                long double sum = 0, absolute = 0;
                Index terms = 0;
                for (Index l = 0; l < a.n_cols; ++l) {
                    const long double term = at(left, a.n_cols, i, l) * at(right, b.n_cols, l, j);
                    sum += term;
                    absolute += std::abs(term);
                    terms += term != 0;
                }
                const bool stored = k < row_ptr[i + 1] && c.col_idx[k] == j;
                ASSERT_EQ(stored, terms > 0) << i << ", " << j;
                if (!stored) continue;
                ASSERT_TRUE(within(c.values[k], sum, sum_bound<T>(terms, absolute))) << i << ", " << j;
                ++k;
            }
        }
    });
}

template <class T>
HostCsr<T> absolutes(const HostCsr<T>& a) {
    HostCsr<T> b = cloned(a);
    for (T& value : b.values.span()) value = std::abs(value);
    return b;
}

TYPED_TEST(Products, AreThoseOfDenseMatrices) {
    using T = TypeParam;
    OpenMP backend(2);
    for (const auto& [m, p, n] : std::vector<std::array<Index, 3>>{{1, 1, 1}, {5, 9, 3}, {40, 25, 60}, {33, 64, 1}}) {
        const auto a = random_csr<T>({.n_rows = m, .n_cols = p, .full_row = m / 2, .seed = 3});
        const auto b = random_csr<T>({.n_rows = p, .n_cols = n, .mean_row = 3, .seed = 4});
        expect_product(a, b, spgemm(backend, a, b));
        expect_product(with_wide_offsets(a), b, spgemm(backend, with_wide_offsets(a), with_wide_offsets(b)));
        Serial serial;
        expect_product(a, b, spgemm(serial, a, b));
        expect_product(a, b, spgemm(serial, with_wide_offsets(a), with_wide_offsets(b)));
    }
}

/// Entries that cancel are kept by all alike, rows without entries stay empty.
TYPED_TEST(Products, OfOneThreadHaveThePatternOfAll) {
    using T = TypeParam;
    OpenMP backend(2);
    Serial serial;
    const auto a = csr_from_rows<T>(3, {{{0, T{1}}, {1, T{-1}}}, {}, {{2, T{2}}}});
    const auto b = csr_from_rows<T>(2, {{{0, T{3}}, {1, T{1}}}, {{0, T{3}}}, {}});
    const auto c = spgemm(serial, a, b);
    EXPECT_TRUE(bit_equal(c, spgemm(backend, a, b)));
    EXPECT_EQ(c.nnz(), 2);
    EXPECT_EQ(c.values[0], T{0});
    EXPECT_THROW(spgemm(serial, b, a), InvalidArgument);
}

/// Rows that have the terms of the row before, further on, have its sums; those that nearly have them do not.
TYPED_TEST(Products, OfRowsThatNearlyRepeat) {
    using T = TypeParam;
    constexpr Index n = 90;
    std::vector<std::vector<std::pair<Index, T>>> rows;
    for (Index i = 0; i < n; ++i) {
        const Index middle = i == 30 ? i + 3 : i + 2;
        const T value = i == 60 ? T{5} : T{4};
        rows.push_back({{i, T{1}}, {i + 1, T{-2}}, {middle, value}, {i + 4, T{1}}});
    }
    rows[75].pop_back();
    const auto a = csr_from_rows<T>(n + 4, rows);
    rows.resize(n + 4, {{n, T{3}}, {n + 1, T{3}}});
    const auto b = csr_from_rows<T>(n + 4, rows);
    for (const int threads : {1, 2}) {
        OpenMP backend(threads);
        expect_product(a, b, spgemm(backend, a, b));
    }
}

TYPED_TEST(Products, OfThreeAreThoseOfTwo) {
    using T = TypeParam;
    OpenMP backend(2);
    for (const auto& [n, m] : std::vector<std::array<Index, 2>>{{1, 1}, {40, 9}, {300, 70}}) {
        const auto root = random_csr<T>({.n_rows = n, .n_cols = n, .mean_row = 2, .full_row = n / 2, .seed = 3});
        const auto a = spgemm(backend, transpose(backend, root), root);
        const auto p = random_csr<T>({.n_rows = n, .n_cols = m, .mean_row = 3, .seed = 4});
        const auto product = galerkin_product(backend, a, p, transpose(backend, p));
        const auto twice = spgemm(backend, transpose(backend, p), spgemm(backend, a, p));
        ASSERT_TRUE(well_formed(product));
        ASSERT_EQ(product.n_rows, m);
        ASSERT_EQ(product.n_cols, m);
        ASSERT_EQ(product.nnz(), twice.nnz());
        EXPECT_TRUE(bit_equal(product, transpose(backend, product)));
        ASSERT_TRUE(std::equal(product.col_idx.begin(), product.col_idx.end(), twice.col_idx.begin()));
        // Of a product, every entry is a sum of at most n (n + 1) / 2 rounded terms in either order.
        const auto absolute =
            spgemm(backend, transpose(backend, absolutes(p)), spgemm(backend, absolutes(a), absolutes(p)));
        for (Size k = 0; k < product.nnz(); ++k) {
            ASSERT_TRUE(within(product.values[k], static_cast<long double>(twice.values[k]),
                               2 * sum_bound<T>(2 * n, static_cast<long double>(absolute.values[k]))))
                << k;
        }
    }
    const auto square = random_csr<T>({.n_rows = 4, .n_cols = 4}), narrow = random_csr<T>({.n_rows = 4, .n_cols = 2});
    EXPECT_THROW(galerkin_product(backend, random_csr<T>({.n_rows = 3, .n_cols = 4}), narrow, narrow), InvalidArgument);
    EXPECT_THROW(galerkin_product(backend, square, narrow, narrow), InvalidArgument);
}

TYPED_TEST(Products, HaveRowsOfAllLengths) {
    using T = TypeParam;
    OpenMP backend(2);
    // Rows of up to 64 entries are sorted in one way, longer ones in another.
    for (const Index n : {15, 16, 17, 63, 64, 65, 400}) {
        const auto a = random_csr<T>({.n_rows = 30, .n_cols = 30, .seed = 9});
        const auto b = random_csr<T>({.n_rows = 30, .n_cols = n, .mean_row = n / 4.0 + 1, .full_row = 7, .seed = 10});
        expect_product(a, b, spgemm(backend, a, b));
    }
}

TYPED_TEST(Products, OfNothingAreEmpty) {
    using T = TypeParam;
    OpenMP backend(2);
    const auto none = csr_from_rows<T>(4, {{}, {}, {}});
    const auto b = random_csr<T>({.n_rows = 4, .n_cols = 7});
    const auto c = spgemm(backend, none, b);
    EXPECT_EQ(c.n_rows, 3);
    EXPECT_EQ(c.n_cols, 7);
    EXPECT_EQ(c.nnz(), 0);
    EXPECT_EQ(transpose(backend, none).n_rows, 4);
    EXPECT_EQ(transpose(backend, csr_from_rows<T>(0, {})).n_rows, 0);
}

TYPED_TEST(Products, KeepEntriesThatCancel) {
    using T = TypeParam;
    OpenMP backend(1);
    const auto a = csr_from_rows<T>(2, {{{0, T{1}}, {1, T{-1}}}});
    const auto b = csr_from_rows<T>(1, {{{0, T{2}}}, {{0, T{2}}}});
    const auto c = spgemm(backend, a, b);
    ASSERT_EQ(c.nnz(), 1);
    EXPECT_EQ(c.values[0], T{0});
}

TYPED_TEST(Products, RefuseSizesThatDoNotFit) {
    OpenMP backend(1);
    const auto a = random_csr<TypeParam>({.n_rows = 3, .n_cols = 4});
    EXPECT_THROW(spgemm(backend, a, a), InvalidArgument);
}

TYPED_TEST(Products, HaveTheSameBitsOnAnyNumberOfThreads) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 20000, .n_cols = 9000, .full_row = 77, .seed = 5});
    const auto b = random_csr<T>({.n_rows = 9000, .n_cols = 15000, .seed = 6});
    OpenMP one(1);
    const auto c = spgemm(one, a, b);
    const auto t = transpose(one, a);
    const auto square = random_csr<T>({.n_rows = 20000, .n_cols = 20000, .mean_row = 3, .seed = 7});
    const auto three = galerkin_product(one, square, a, t);
    for (int threads : {2, 3, 7}) {
        OpenMP backend(threads);
        EXPECT_TRUE(bit_equal(spgemm(backend, a, b), c)) << threads;
        EXPECT_TRUE(bit_equal(transpose(backend, a), t)) << threads;
        EXPECT_TRUE(bit_equal(galerkin_product(backend, square, a, t), three)) << threads;
    }
}

TYPED_TEST(Products, TransposedTwiceAreTheMatrixItself) {
    using T = TypeParam;
    OpenMP backend(3);
    for (const Index n : {1, 50, 3000}) {
        const auto a = random_csr<T>({.n_rows = 2000, .n_cols = n, .seed = 8});
        const auto t = transpose(backend, a);
        EXPECT_EQ(t.n_rows, n);
        EXPECT_EQ(t.n_cols, 2000);
        EXPECT_TRUE(well_formed(t));
        EXPECT_TRUE(bit_equal(transpose(backend, t), a));
    }
    const auto a = csr_from_rows<T>(3, {{{0, T{1}}, {2, T{2}}}, {}, {{1, T{3}}, {2, T{4}}}});
    EXPECT_TRUE(
        bit_equal(transpose(backend, a), csr_from_rows<T>(3, {{{0, T{1}}}, {{2, T{3}}}, {{0, T{2}}, {2, T{4}}}})));
}

}  // namespace
}  // namespace stiefel::test
