#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

// Products of sparse matrices on a device against the host's in double precision.

namespace stiefel::test {
namespace {

template <class T>
class CudaProducts : public OnCuda {
protected:
    HostCsr<T> product(const HostCsr<T>& a, const HostCsr<T>& b) {
        Cuda& cuda = this->backend();
        const auto c = spgemm(cuda, stiefel::to_device(cuda, a), stiefel::to_device(cuda, b));
        return stiefel::to_host(cuda, c);
    }

    HostCsr<T> transposed(const HostCsr<T>& a) {
        Cuda& cuda = this->backend();
        return stiefel::to_host(cuda, transpose(cuda, stiefel::to_device(cuda, a)));
    }

    /// Each value within the bound of its sum, the pattern the same; and the same bits once more.
    void check(const HostCsr<T>& a, const HostCsr<T>& b) {
        OpenMP host(2);
        const auto exact = spgemm(host, as_double(a, false), as_double(b, false));
        const auto absolute = spgemm(host, as_double(a, true), as_double(b, true));
        const auto c = product(a, b);
        ASSERT_EQ(c.n_rows, a.n_rows);
        ASSERT_EQ(c.n_cols, b.n_cols);
        ASSERT_TRUE(well_formed(c));
        ASSERT_EQ(c.nnz(), exact.nnz());
        exact.row_ptr.visit([&](const auto* x) {
            c.row_ptr.visit([&](const auto* y) { ASSERT_TRUE(std::equal(x, x + c.n_rows + 1, y)); });
        });
        for (Size k = 0; k < c.nnz(); ++k) {
            ASSERT_EQ(c.col_idx[k], exact.col_idx[k]) << k;
            ASSERT_TRUE(within(c.values[k], exact.values[k], sum_bound<T>(a.n_cols, absolute.values[k]))) << k;
        }
        EXPECT_TRUE(bit_equal(product(a, b), c));
    }

    static HostCsr<double> as_double(const HostCsr<T>& a, bool absolute) {
        HostCsr<double> copy{.n_rows = a.n_rows, .n_cols = a.n_cols, .values = HostVector<double>(a.nnz())};
        copy.row_ptr = cloned(a).row_ptr;
        copy.col_idx = a.col_idx.clone();
        for (Size k = 0; k < a.nnz(); ++k) {
            copy.values[k] = absolute ? std::abs(static_cast<double>(a.values[k])) : static_cast<double>(a.values[k]);
        }
        return copy;
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaProducts, Types);

TYPED_TEST(CudaProducts, OfSmallMatrices) {
    using T = TypeParam;
    for (const auto& [m, p, n] : std::vector<std::array<Index, 3>>{{1, 1, 1}, {5, 9, 3}, {40, 25, 60}, {33, 64, 1}}) {
        const auto a = random_csr<T>({.n_rows = m, .n_cols = p, .full_row = m / 2, .seed = 3});
        const auto b = random_csr<T>({.n_rows = p, .n_cols = n, .mean_row = 3, .seed = 4});
        this->check(a, b);
        EXPECT_TRUE(bit_equal(this->product(with_wide_offsets(a), with_wide_offsets(b)), this->product(a, b)));
    }
}

/// Rows of all lengths, so that every kind of table is filled: a few columns up to all of many, by short rows of the
/// right matrix and by long ones.
TYPED_TEST(CudaProducts, OfRowsOfAnyLength) {
    using T = TypeParam;
    for (const double mean : {1.0, 4.0, 12.0, 40.0}) {
        const Index inner = 3000, n = 50000;
        std::vector<std::vector<std::pair<Index, T>>> rows;
        Random random(static_cast<std::uint64_t>(mean));
        for (const Index length : {0, 1, 2, 5, 11, 30, 80, 200, 700, 1500, 3000}) {
            auto& row = rows.emplace_back();
            for (Index k = 0; k < length; ++k) row.emplace_back(k * (inner / length), static_cast<T>(random()));
        }
        this->check(csr_from_rows<T>(inner, rows),
                    random_csr<T>({.n_rows = inner, .n_cols = n, .mean_row = mean, .full_row = 7, .seed = 5}));
        this->check(csr_from_rows<T>(inner, rows),
                    random_csr<T>({.n_rows = inner, .n_cols = 90, .mean_row = mean, .seed = 6}));
    }
}

TYPED_TEST(CudaProducts, OfStencils) {
    using T = TypeParam;
    OpenMP host(2);
    const auto a = poisson3d<T>(host, 17, 19, 23);
    this->check(a, a);
}

/// P' A P in every way against the host's: within the bound of either's sums, the same bits once more. As X + X' it is
/// symmetric to the last bit, unless 32 bits do not count its entries.
TYPED_TEST(CudaProducts, OfThreeAreThoseOfTheHost) {
    using T = TypeParam;
    OpenMP host(2);
    Cuda& cuda = this->backend();
    const auto check = [&](const HostCsr<T>& a, const HostCsr<T>& p, bool is_narrow) {
        SCOPED_TRACE(a.n_rows);
        const auto r = transpose(host, p);
        const auto expected = galerkin_product(host, a, p, r);
        const auto absolute =
            galerkin_product(host, this->as_double(a, true), this->as_double(p, true), this->as_double(r, true));
        const auto there_a = stiefel::to_device(cuda, a), there_p = stiefel::to_device(cuda, p),
                   there_r = stiefel::to_device(cuda, r);
        for (const bool short_rows : {false, true}) {
            SCOPED_TRACE(short_rows ? "short rows" : "X + X'");
            const auto product = [&] {
                return stiefel::to_host(cuda, short_rows ? short_galerkin_product(cuda, there_a, there_p, there_r)
                                                         : galerkin_product(cuda, there_a, there_p, there_r));
            };
            const auto c = product();
            ASSERT_TRUE(well_formed(c));
            ASSERT_EQ(c.nnz(), expected.nnz());
            ASSERT_TRUE(std::equal(c.col_idx.begin(), c.col_idx.end(), expected.col_idx.begin()));
            for (Size k = 0; k < c.nnz(); ++k) {
                ASSERT_TRUE(within(c.values[k], static_cast<long double>(expected.values[k]),
                                   2 * sum_bound<T>(2 * a.n_rows, absolute.values[k])))
                    << k;
            }
            if (is_narrow && !short_rows) {
                EXPECT_TRUE(bit_equal(c, transpose(host, c)));
            }
            EXPECT_TRUE(bit_equal(product(), c));
        }
    };
    for (const auto& [n, m] : std::vector<std::array<Index, 2>>{{1, 1}, {40, 9}, {300, 70}}) {
        const auto root = random_csr<T>({.n_rows = n, .n_cols = n, .mean_row = 5, .full_row = n / 2, .seed = 3});
        const auto a = spgemm(host, transpose(host, root), root);
        check(a, random_csr<T>({.n_rows = n, .n_cols = m, .mean_row = 3, .seed = 4}), true);
        check(with_wide_offsets(a), random_csr<T>({.n_rows = n, .n_cols = m, .mean_row = 3, .seed = 5}), false);
    }
    // Rows of the result from few to more than a table of shared memory has places for.
    const auto a = stencil27<T>(host, 20, 20, 20);
    for (const Index m : {30, 300, 4000}) {
        const auto p = random_csr<T>({.n_rows = a.n_rows, .n_cols = m, .mean_row = 2, .full_row = 7, .seed = 6});
        check(a, p, true);
        check(poisson3d<T>(host, 20, 20, 20), p, true);
    }
    // Of a row of A P at most as many terms and columns as there is room for; P with rows of 0 to 4.
    const auto grid = poisson3d<T>(host, 21, 18, 19);
    for (const Index m : {1, 5, 12, 700}) {
        std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(grid.n_rows));
        Random random(static_cast<std::uint64_t>(m));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto of_row = static_cast<Index>(std::min<std::size_t>(i % 5, static_cast<std::size_t>(m)));
            for (Index k = 0; k < of_row; ++k)
                rows[i].emplace_back((static_cast<Index>(i / 40) + k) % m, static_cast<T>(random()));
            std::sort(rows[i].begin(), rows[i].end());
        }
        check(grid, csr_from_rows<T>(m, rows), true);
    }
    const auto none = csr_from_rows<T>(5, {});
    EXPECT_THROW(galerkin_product(cuda, stiefel::to_device(cuda, none), stiefel::to_device(cuda, none),
                                  stiefel::to_device(cuda, none)),
                 InvalidArgument);
    EXPECT_THROW(short_galerkin_product(cuda, stiefel::to_device(cuda, none), stiefel::to_device(cuda, none),
                                        stiefel::to_device(cuda, none)),
                 InvalidArgument);
}

/// A row of as many terms as a warp has lanes and of as many columns as A P has room for, rows of more: right as well.
TYPED_TEST(CudaProducts, OfShortRowsTakeLongerOnesAsWell) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    OpenMP host(2);
    for (const auto& [terms, columns] :
         std::vector<std::array<Index, 2>>{{32, 16}, {33, 16}, {32, 17}, {40, 40}, {700, 11}}) {
        std::vector<std::pair<Index, T>> full;
        std::vector<std::vector<std::pair<Index, T>>> of_a(static_cast<std::size_t>(terms)), of_p;
        for (Index k = 0; k < terms; ++k) {
            full.emplace_back(k, static_cast<T>(k + 1));
            of_p.push_back({{k % columns, T{2}}});
        }
        of_a[0] = full;
        const auto a = csr_from_rows<T>(terms, of_a), p = csr_from_rows<T>(columns, of_p), r = transpose(host, p);
        const auto c =
            stiefel::to_host(cuda, short_galerkin_product(cuda, stiefel::to_device(cuda, a),
                                                          stiefel::to_device(cuda, p), stiefel::to_device(cuda, r)));
        EXPECT_TRUE(bit_equal(c, spgemm(host, r, spgemm(host, a, p)))) << terms << " " << columns;
    }
}

TYPED_TEST(CudaProducts, OfNothingAreEmpty) {
    using T = TypeParam;
    const auto none = csr_from_rows<T>(4, {{}, {}, {}});
    const auto b = random_csr<T>({.n_rows = 4, .n_cols = 7});
    this->check(none, b);
    this->check(csr_from_rows<T>(4, {}), b);
    EXPECT_EQ(this->transposed(none).n_rows, 4);
    EXPECT_EQ(this->transposed(csr_from_rows<T>(0, {})).n_rows, 0);
}

TYPED_TEST(CudaProducts, KeepEntriesThatCancel) {
    using T = TypeParam;
    const auto a = csr_from_rows<T>(2, {{{0, T{1}}, {1, T{-1}}}});
    const auto c = this->product(a, csr_from_rows<T>(1, {{{0, T{2}}}, {{0, T{2}}}}));
    ASSERT_EQ(c.nnz(), 1);
    EXPECT_EQ(c.values[0], T{0});
}

TYPED_TEST(CudaProducts, RefuseSizesThatDoNotFit) {
    const auto a = stiefel::to_device(this->backend(), random_csr<TypeParam>({.n_rows = 3, .n_cols = 4}));
    EXPECT_THROW(spgemm(this->backend(), a, a), InvalidArgument);
}

TYPED_TEST(CudaProducts, TransposesAreThoseOfTheHost) {
    using T = TypeParam;
    OpenMP host(2);
    for (const Index n : {1, 50, 300, 700, 3000}) {
        const auto a = random_csr<T>({.n_rows = 2000, .n_cols = n, .full_row = 1234, .seed = 8});
        const auto expected = transpose(host, a);
        EXPECT_TRUE(bit_equal(this->transposed(a), expected));
        EXPECT_TRUE(bit_equal(this->transposed(with_wide_offsets(a)), expected));
    }
}

}  // namespace
}  // namespace stiefel::test
