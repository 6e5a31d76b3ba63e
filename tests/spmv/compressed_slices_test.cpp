#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/openmp/compressed/rows.hpp"
#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

/// f(name, product) for every instruction set that this machine has, and for what kernels of this build take.
template <class Stored, class T, class F>
void for_each_product(F&& f) {
    using namespace compressed;
    f("baseline", SliceProducts<Baseline>::of<Stored, T>());
    if (has_avx2()) f("avx2", SliceProducts<Avx2>::of<Stored, T>());
    if (has_avx512()) f("avx512", SliceProducts<Avx512>::of<Stored, T>());
    f("widest", widest_slice_product<Stored, T>());
    f("taken", slice_product<Stored, T>());
}

/// Rows of up to seven entries whose columns lie within so many of each other, or anywhere.
template <class T>
HostCsr<T> scattered(Index n, Index apart) {
    std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
        std::set<Index> columns;
        for (Index k = 0; k <= i % 7; ++k) columns.insert((i / 50 * 50 + (i * 37 + k * 101) % apart) % n);
        for (const Index j : columns) rows[static_cast<std::size_t>(i)].emplace_back(j, T(1 + (i + j) % 5) / 4);
    }
    return csr_from_rows<T>(n, rows);
}

/// Every row of a product within the bound of its sum; and with NaN in a column, NaN in the rows that have it and in no
/// others, though padding seems to stand in it.
template <class Stored, class T>
void expect_products(const HostCsr<Stored>& a, std::set<SliceColumns>& seen) {
    OpenMP backend(1);
    const auto sell = compressed_sell_from_csr(backend, a, 1, {.factor = 100});
    for (Index slice = 0; slice < sell.n_slices(); ++slice) seen.insert(sell.slices[slice].columns);
    HostVector<T> x = random_vector<T>(a.n_cols, 3);
    const Index poisoned = a.n_cols / 2;
    for (const bool is_poisoned : {false, true}) {
        if (is_poisoned) x[poisoned] = std::numeric_limits<T>::quiet_NaN();
        for_each_product<Stored, T>([&](const char* name, const auto& product) {
            SCOPED_TRACE(name);
            HostVector<T> y(a.n_rows, std::numeric_limits<T>::quiet_NaN());
            compressed::for_slices(backend, sell, [&](Index slice) {
                compressed::finish_slice(product, sell, slice, x.data(), [&](Index i, T sum) { y[i] = sum; });
            });
            a.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < a.n_rows; ++i) {
                    long double exact = 0, absolute = 0;
                    for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                        const long double term = static_cast<long double>(a.values[k]) * x[a.col_idx[k]];
                        exact += term;
                        absolute += std::abs(term);
                    }
                    if (std::isnan(exact)) {
                        ASSERT_TRUE(std::isnan(y[i])) << "row " << i;
                        continue;
                    }
                    ASSERT_TRUE(within(y[i], exact, sum_bound<T>(row_ptr[i + 1] - row_ptr[i], absolute)))
                        << "row " << i;
                }
            });
        });
    }
}

template <class Stored, class T>
void expect_products_of_all_kinds() {
    OpenMP backend(1);
    std::set<SliceColumns> seen;
    expect_products<Stored, T>(poisson3d<Stored>(backend, 9, 8, 7), seen);
    expect_products<Stored, T>(elasticity3d<Stored>(backend, 6, 5, 4), seen);
    expect_products<Stored, T>(scattered<Stored>(1000, 1000), seen);
    expect_products<Stored, T>(scattered<Stored>(200000, 200000), seen);
    EXPECT_EQ(seen.size(), 3u) << "some way to keep columns was not tried";
}

TEST(CompressedSlices, EveryInstructionSetMultipliesDoubles) {
    expect_products_of_all_kinds<double, double>();
}
TEST(CompressedSlices, EveryInstructionSetMultipliesFloats) {
    expect_products_of_all_kinds<float, float>();
}
TEST(CompressedSlices, EveryInstructionSetMultipliesFloatsByDoubles) {
    expect_products_of_all_kinds<float, double>();
}

}  // namespace
}  // namespace stiefel::test
