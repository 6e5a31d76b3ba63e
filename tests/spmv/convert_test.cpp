#include "stiefel/spmv/convert.hpp"

#include "support/backends.hpp"
#include "support/formats.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace stiefel::test {
namespace {

template <class T>
Coo<T> coo_from_entries(Index n_rows, Index n_cols, Symmetry symmetry, HostVector<Index> rows, HostVector<Index> cols,
                        HostVector<T> values) {
    Coo<T> coo{.n_rows = n_rows, .n_cols = n_cols, .symmetry = symmetry};
    coo.row_idx = std::move(rows);
    coo.col_idx = std::move(cols);
    coo.values = std::move(values);
    return coo;
}

template <class T>
std::vector<Size> offsets(const HostCsr<T>& a) {
    std::vector<Size> copy;
    a.row_ptr.visit([&](const auto* row_ptr) { copy.assign(row_ptr, row_ptr + a.row_ptr.size()); });
    return copy;
}

template <class T>
void expect_equal(const HostCsr<T>& a, const HostCsr<T>& b) {
    EXPECT_EQ(a.n_rows, b.n_rows);
    EXPECT_EQ(a.n_cols, b.n_cols);
    EXPECT_EQ(offsets(a), offsets(b));
    EXPECT_TRUE(std::ranges::equal(a.col_idx.span(), b.col_idx.span()));
    EXPECT_TRUE(std::ranges::equal(a.values.span(), b.values.span()));
}

/// Entries in an order that no chunk, row or column has anything to do with.
template <class T>
Coo<T> shuffled(const Coo<T>& coo, std::uint64_t seed) {
    std::vector<Size> order(static_cast<std::size_t>(coo.n_entries()));
    std::iota(order.begin(), order.end(), Size{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    Coo<T> result{.n_rows = coo.n_rows, .n_cols = coo.n_cols, .symmetry = coo.symmetry};
    result.row_idx = HostVector<Index>(coo.n_entries());
    result.col_idx = HostVector<Index>(coo.n_entries());
    result.values = HostVector<T>(coo.n_entries());
    for (Size e = 0; e < coo.n_entries(); ++e) {
        const Size from = order[static_cast<std::size_t>(e)];
        result.row_idx[e] = coo.row_idx[from];
        result.col_idx[e] = coo.col_idx[from];
        result.values[e] = coo.values[from];
    }
    return result;
}

template <class T>
class Convert : public ::testing::Test {};
TYPED_TEST_SUITE(Convert, EveryType);

TYPED_TEST(Convert, CooHandValues) {
    using T = TypeParam;
    OpenMP backend(2);
    // Row 1 is given out of order and (1, 0) twice; row 2 is empty.
    const auto coo = coo_from_entries<T>(3, 4, Symmetry::general, {1, 0, 1, 1, 1}, {3, 1, 0, 2, 0}, {1, 2, 3, 4, 5});
    const auto [csr, n_duplicates] = csr_from_coo(backend, coo);
    EXPECT_EQ(n_duplicates, 1);
    EXPECT_EQ(offsets(csr), (std::vector<Size>{0, 1, 4, 4}));
    EXPECT_TRUE(std::ranges::equal(csr.col_idx.span(), std::vector<Index>{1, 0, 2, 3}));
    EXPECT_TRUE(std::ranges::equal(csr.values.span(), std::vector<T>{2, 8, 4, 1}));
}

TYPED_TEST(Convert, RoundTripThroughShuffledCoo) {
    using T = TypeParam;
    for (Index n : {0, 1, 31, 32, 33, 1000, 20000}) {
        const auto a = random_csr<T>({.n_rows = n, .n_cols = 2 * n + 1, .full_row = n / 2});
        for (int threads : {1, 2, 3, 7}) {
            OpenMP backend(threads);
            const auto coo = coo_from_csr(backend, a);
            EXPECT_EQ(coo.symmetry, Symmetry::general);
            const auto direct = csr_from_coo(backend, coo);
            EXPECT_EQ(direct.n_duplicates, 0);
            expect_equal(direct.csr, a);
            expect_equal(csr_from_coo(backend, shuffled(coo, 7)).csr, a);
        }
    }
}

TYPED_TEST(Convert, DuplicatesAddUpInTheOrderGiven) {
    using T = TypeParam;
    // Few places for many entries of very different size: another order of addition would give other bits.
    constexpr Index n = 50;
    constexpr Size n_entries = 40000;
    Random random(3);
    Coo<T> coo{.n_rows = n, .n_cols = n};
    coo.row_idx = HostVector<Index>(n_entries);
    coo.col_idx = HostVector<Index>(n_entries);
    coo.values = HostVector<T>(n_entries);
    std::map<std::pair<Index, Index>, T> expected;
    for (Size e = 0; e < n_entries; ++e) {
        coo.row_idx[e] = random.below(n);
        coo.col_idx[e] = e % 3 == 0 ? coo.row_idx[e] : random.below(n);
        coo.values[e] = static_cast<T>(random() * std::pow(10.0, random.below(12)));
        const auto [place, is_new] = expected.try_emplace({coo.row_idx[e], coo.col_idx[e]}, coo.values[e]);
        if (!is_new) place->second += coo.values[e];
    }
    for (int threads : {1, 2, 3, 7}) {
        OpenMP backend(threads);
        const auto [csr, n_duplicates] = csr_from_coo(backend, coo);
        ASSERT_EQ(csr.nnz(), static_cast<Size>(expected.size()));
        EXPECT_EQ(n_duplicates, n_entries - csr.nnz());
        Size k = 0;
        for (const auto& [place, value] : expected) {
            EXPECT_EQ(csr.col_idx[k], place.second);
            EXPECT_EQ(csr.values[k], value);
            ++k;
        }
    }
}

TYPED_TEST(Convert, SymmetricAndSkewStorageIsMirrored) {
    using T = TypeParam;
    OpenMP backend(2);
    const auto symmetric =
        csr_from_coo(backend, coo_from_entries<T>(3, 3, Symmetry::symmetric, {0, 2, 1}, {0, 0, 1}, {4, 7, 5})).csr;
    EXPECT_EQ(dense(symmetric), (std::vector<long double>{4, 0, 7, 0, 5, 0, 7, 0, 0}));
    const auto skew =
        csr_from_coo(backend, coo_from_entries<T>(3, 3, Symmetry::skew_symmetric, {2, 1}, {0, 0}, {7, 5})).csr;
    EXPECT_EQ(dense(skew), (std::vector<long double>{0, -5, -7, 5, 0, 0, 7, 0, 0}));
}

TYPED_TEST(Convert, LowerTriangleRoundTrip) {
    using T = TypeParam;
    for (int threads : {1, 2, 7}) {
        OpenMP backend(threads);
        auto lower = coo_from_csr(backend, random_csr<T>({.n_rows = 3000, .n_cols = 3000}), true);
        EXPECT_EQ(lower.symmetry, Symmetry::symmetric);
        for (Size e = 0; e < lower.n_entries(); ++e) ASSERT_LE(lower.col_idx[e], lower.row_idx[e]);
        const auto full = csr_from_coo(backend, shuffled(lower, 5)).csr;
        const auto again = coo_from_csr(backend, full, true);
        EXPECT_TRUE(std::ranges::equal(again.row_idx.span(), lower.row_idx.span()));
        EXPECT_TRUE(std::ranges::equal(again.col_idx.span(), lower.col_idx.span()));
        EXPECT_TRUE(std::ranges::equal(again.values.span(), lower.values.span()));
    }
}

TYPED_TEST(Convert, RefusesBrokenCoo) {
    using T = TypeParam;
    OpenMP backend(2);
    const auto convert = [&](Index n_rows, Index n_cols, Symmetry symmetry, Index row, Index col) {
        return csr_from_coo(backend, coo_from_entries<T>(n_rows, n_cols, symmetry, {row}, {col}, {1}));
    };
    EXPECT_THROW(convert(2, 2, Symmetry::general, 2, 0), InvalidArgument);
    EXPECT_THROW(convert(2, 2, Symmetry::general, 0, 2), InvalidArgument);
    EXPECT_THROW(convert(2, 2, Symmetry::general, -1, 0), InvalidArgument);
    EXPECT_THROW(convert(2, 3, Symmetry::symmetric, 0, 0), InvalidArgument);
    EXPECT_THROW(csr_from_coo(backend, coo_from_entries<T>(2, 2, Symmetry::general, {0, 1}, {0}, {1})),
                 InvalidArgument);
    EXPECT_THROW(coo_from_csr(backend, random_csr<T>({.n_rows = 3, .n_cols = 4}), true), InvalidArgument);
}

/// Entries in place, padding of value 0 that repeats the row's last column.
template <class T, class Position>
void expect_row(const HostCsr<T>& csr, Index row, Index length, Index width, const HostVector<Index>& cols,
                const HostVector<T>& values, Position&& position) {
    const auto row_ptr = offsets(csr);
    const Size first = row < csr.n_rows ? row_ptr[static_cast<std::size_t>(row)] : 0;
    const Size expected_length = row < csr.n_rows ? row_ptr[static_cast<std::size_t>(row) + 1] - first : 0;
    ASSERT_EQ(length, expected_length);
    for (Index j = 0; j < width; ++j) {
        const Index last_col = length > 0 ? csr.col_idx[first + length - 1] : 0;
        ASSERT_EQ(cols[position(j)], j < length ? csr.col_idx[first + j] : last_col);
        ASSERT_EQ(values[position(j)], j < length ? csr.values[first + j] : T{0});
    }
}

TYPED_TEST(Convert, EllpackHoldsTheRows) {
    using T = TypeParam;
    OpenMP backend(3);
    for (Index n : {0, 1, 31, 32, 33, 200}) {
        const auto csr = random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2});
        for (auto layout : {EllpackLayout::row_major, EllpackLayout::column_major}) {
            const auto a = ellpack_from_csr(backend, csr, layout, no_limit);
            EXPECT_EQ(a.nnz(), csr.nnz());
            EXPECT_EQ(a.width, n);
            for (Index row = 0; row < n; ++row) {
                expect_row(csr, row, a.row_length[row], a.width, a.col_idx, a.values,
                           [&](Index j) { return a.position(row, j); });
            }
        }
    }
}

TYPED_TEST(Convert, SellHoldsTheRows) {
    using T = TypeParam;
    OpenMP backend(3);
    for (Index n : {0, 1, 31, 32, 33, 1000}) {
        const auto csr = random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2});
        for (const auto& shape : {std::pair<Index, Index>{1, 1}, {8, 1}, {8, 64}, {32, 100000}, {5, 12}}) {
            const Index height = shape.first, sigma = shape.second;  // Clang 14 captures no structured binding
            const auto a = sell_from_csr(backend, csr, height, sigma, no_limit);
            std::vector<int> seen(static_cast<std::size_t>(n), 0);
            for (Size slot = 0; slot < a.n_slots(); ++slot) {
                const auto slice = static_cast<Index>(slot / height);
                const Index row = a.row(slot);
                if (row < n) {
                    ++seen[static_cast<std::size_t>(row)];
                    EXPECT_EQ(row / sigma, static_cast<Index>(slot) / sigma) << "a row left its window";
                }
                const auto width = static_cast<Index>((a.slice_ptr[slice + 1] - a.slice_ptr[slice]) / height);
                expect_row(csr, row, a.row_length[slot], width, a.col_idx, a.values,
                           [&](Index j) { return a.slice_ptr[slice] + Size{j} * height + slot % height; });
            }
            EXPECT_EQ(std::ranges::count(seen, 1), n);
        }
    }
}

TYPED_TEST(Convert, SortingShortensSell) {
    using T = TypeParam;
    OpenMP backend(2);
    const auto csr = random_csr<T>({.n_rows = 1000, .n_cols = 1000, .mean_row = 9});
    const auto plain = sell_from_csr(backend, csr, 8, 1);
    const auto sorted = sell_from_csr(backend, csr, 8, 256);
    EXPECT_TRUE(plain.row_of_slot.empty());
    EXPECT_LT(sorted.values.size(), plain.values.size());
}

TYPED_TEST(Convert, PaddingBeyondTheLimitSaysTheNumbers) {
    using T = TypeParam;
    OpenMP backend(2);
    const auto csr = random_csr<T>({.n_rows = 1000, .n_cols = 1000, .full_row = 10});
    const auto message = [](auto&& convert) -> std::string {
        try {
            convert();
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "";
    };
    const std::string ellpack = message([&] { ellpack_from_csr(backend, csr, EllpackLayout::row_major); });
    EXPECT_NE(ellpack.find(format_bytes(Size{1000} * 1000 * static_cast<Size>(sizeof(T) + 4))), std::string::npos)
        << ellpack;
    EXPECT_NE(ellpack.find(format_bytes(4 * csr.nnz() * static_cast<Size>(sizeof(T) + 4))), std::string::npos)
        << ellpack;
    EXPECT_NE(ellpack.find("1000 entries"), std::string::npos) << ellpack;
    EXPECT_NE(message([&] { sell_from_csr(backend, csr, 1000, 1); }), "");
    EXPECT_EQ(message([&] { sell_from_csr(backend, csr, 8, 1); }), "");
    EXPECT_THROW(sell_from_csr(backend, csr, 0, 1), InvalidArgument);
    EXPECT_THROW(sell_from_csr(backend, csr, 8, 0), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
