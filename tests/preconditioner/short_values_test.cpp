// Values of 16 bits: what they are, products with them, and a smoother that reads them.

#include "stiefel/preconditioner/amg/short_values.hpp"
#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/openmp/compressed/rows.hpp"

#include "support/bounds.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <vector>

namespace stiefel::test {
namespace {

TEST(ShortValues, AreTheNearest) {
    for (const int part : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 26}) {
        const float value = 1.0F / static_cast<float>(part);
        EXPECT_EQ(amg::in_units(value), 32760 / part) << "1 / " << part;
        EXPECT_EQ(amg::in_units(-value), -32760 / part) << "-1 / " << part;
    }
    for (int k = -1000; k <= 1000; ++k) {
        const double value = static_cast<float>(k * 9.99e-4);
        const double held = amg::in_units(static_cast<float>(value)) / 32760.0;
        EXPECT_LE(std::abs(held - value), amg::short_rounding * (1 + 1e-6)) << value;
    }
    EXPECT_EQ(amg::in_units(0.0F), 0);
    EXPECT_EQ(amg::in_units(-0.0F), 0);
    EXPECT_EQ(amg::in_units(1e30F), 32767);
    EXPECT_EQ(amg::in_units(-1e30F), -32767);
}

/// Whole units times x, for every instruction set of this machine: no more than the sum's own rounding; and what is
/// less than half a unit adds nothing, whatever x is.
TEST(ShortValues, ProductsAddUpWholeUnits) {
    OpenMP backend(1);
    std::set<SliceColumns> seen;
    std::vector<HostCsr<float>> matrices;
    matrices.push_back(poisson3d<float>(backend, 9, 8, 7));
    matrices.push_back(random_csr<float>({.n_rows = 1000, .n_cols = 1000, .mean_row = 9, .seed = 3}));
    matrices.push_back(random_csr<float>({.n_rows = 200000, .n_cols = 200000, .mean_row = 3, .seed = 4}));
    for (auto& a : matrices) {
        for (Size k = 0; k < a.nnz(); ++k) a.values[k] *= k % 17 == 0 ? 1e-6F : 0.12F;
        const auto sell = compressed_sell_from_csr(backend, a, 1, {.factor = 100});
        const auto in_short = amg::short_values(backend, sell);
        ASSERT_EQ(in_short.units.size(), sell.values.size());
        for (Index slice = 0; slice < sell.n_slices(); ++slice) seen.insert(sell.slices[slice].columns);
        HostVector<float> x = random_vector<float>(a.n_cols, 5);
        const Index poisoned = a.n_cols / 2;
        for (const bool is_poisoned : {false, true}) {
            if (is_poisoned) x[poisoned] = std::numeric_limits<float>::quiet_NaN();
            const auto expect = [&](const char* name, const auto& product) {
                SCOPED_TRACE(name);
                HostVector<float> y(a.n_rows, std::numeric_limits<float>::quiet_NaN());
                compressed::for_slices(backend, sell, [&](Index slice) {
                    compressed::finish_slice(product, sell, in_short.units.data(), slice, x.data(),
                                             [&](Index i, float sum) { y[i] = sum; });
                });
                a.row_ptr.visit([&](const auto* row_ptr) {
                    for (Index i = 0; i < a.n_rows; ++i) {
                        long double exact = 0, absolute = 0;
                        for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                            const int units = amg::in_units(a.values[k]);
                            const long double term = static_cast<long double>(units) * x[a.col_idx[k]];
                            if (units != 0) exact += term, absolute += std::abs(term);
                        }
                        if (std::isnan(exact)) {
                            ASSERT_TRUE(std::isnan(y[i])) << "row " << i;
                            continue;
                        }
                        ASSERT_TRUE(within(y[i], exact, sum_bound<float>(row_ptr[i + 1] - row_ptr[i], absolute)))
                            << "row " << i;
                    }
                });
            };
            using namespace compressed;
            expect("baseline", SliceProducts<Baseline>::of<std::int16_t, float>());
            if (has_avx2()) expect("avx2", SliceProducts<Avx2>::of<std::int16_t, float>());
            if (has_avx512()) expect("avx512", SliceProducts<Avx512>::of<std::int16_t, float>());
            expect("taken", slice_product<std::int16_t, float>());
        }
    }
    EXPECT_EQ(seen.size(), 3U) << "some way to keep columns was not tried";
}

/// A diffusion problem whose slices differ, as a level is scaled.
class ShortValuesSmooth : public ::testing::Test {
protected:
    using Smoother = amg::Smoother<OpenMP, float>;

    std::unique_ptr<Smoother> smoother(OpenMP& backend, const HostCsr<double>& a) {
        HostVector<double> roots(a.n_rows);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    if (a.col_idx[k] == i) roots[i] = 1 / std::sqrt(a.values[k]);
                }
            }
        });
        return amg::ListedChebyshevSmoother::make<OpenMP, float>(backend, {a, roots, roots}, 2);
    }

    /// What begin() and then end() leave of r, x.
    struct Smoothed {
        std::vector<float> r, x;
        bool operator==(const Smoothed&) const = default;
    };
    Smoothed smoothed(OpenMP& backend, Smoother& smoother, Size n) {
        const auto poison = [&] { return HostVector<float>(n, std::numeric_limits<float>::quiet_NaN()); };
        amg::LevelVectors<OpenMP, float> v{random_vector<float>(n, 1), poison(), poison(), poison()};
        smoother.begin(backend, v, 1, true);
        Smoothed result{{v.r.begin(), v.r.end()}, {}};
        v.e = random_vector<float>(n, 2);
        smoother.end(backend, v, 1);
        result.x.assign(v.x.begin(), v.x.end());
        return result;
    }
};

TEST_F(ShortValuesSmooth, AsThoseOf32BitsDoButForWhatIsRounded) {
    OpenMP backend(2);
    const auto a = jump_diffusion3d<double>(backend, 60, 60, 60, {.contrast = 50});
    const auto precise = smoother(backend, a), rounded = smoother(backend, a);
    const double bytes_before = precise->begin_work(1, true).bytes;
    ASSERT_TRUE(rounded->gains_by_rounding());
    rounded->round_values(backend);
    EXPECT_GE(rounded->bytes() - precise->bytes(), 2 * a.nnz());
    EXPECT_DOUBLE_EQ(rounded->begin_work(1, true).bytes, bytes_before - 2 * 2.0 * static_cast<double>(a.nnz()));
    EXPECT_DOUBLE_EQ(rounded->begin_work(2, true).bytes, precise->begin_work(2, true).bytes);

    const Smoothed expected = smoothed(backend, *precise, a.n_rows), found = smoothed(backend, *rounded, a.n_rows);
    // Four products with vectors of sizes below 5, seven values each.
    constexpr double bound = 4 * 7 * 5 * amg::short_rounding;
    double apart = 0;
    for (std::size_t i = 0; i < found.r.size(); ++i) {
        ASSERT_LE(std::abs(static_cast<double>(found.r[i]) - static_cast<double>(expected.r[i])), bound) << i;
        ASSERT_LE(std::abs(static_cast<double>(found.x[i]) - static_cast<double>(expected.x[i])), bound) << i;
        apart = std::max(apart, std::abs(static_cast<double>(found.x[i] - expected.x[i])));
    }
    EXPECT_GT(apart, 1e-7) << "nothing was rounded";

    // Bits do not depend on the threads.
    OpenMP one(1);
    const auto by_one = smoother(one, a);
    by_one->round_values(one);
    const Smoothed again = smoothed(one, *by_one, a.n_rows);
    EXPECT_TRUE(again == found);
}

/// Nor is anything taken where nothing is gained: constant coefficients are read once, small levels from a cache.
TEST_F(ShortValuesSmooth, OnlyWhereMemoryIsWaitedFor) {
    OpenMP backend(2);
    EXPECT_FALSE(smoother(backend, poisson3d<double>(backend, 60, 60, 60))->gains_by_rounding());
    const auto small = jump_diffusion3d<double>(backend, 20, 20, 20);
    const auto kept = smoother(backend, small);
    EXPECT_FALSE(kept->gains_by_rounding());
    const Size bytes = kept->bytes();
    kept->round_values(backend);
    EXPECT_EQ(kept->bytes(), bytes);
}

}  // namespace
}  // namespace stiefel::test
