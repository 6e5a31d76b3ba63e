#pragma once

#include "stiefel/analysis/coupling_strength.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// What CouplingStrength must be, whoever finds it: found(a) is a CouplingStrength.

namespace stiefel::test {

/// Against the same in extended precision: a coupling has few roundings, a sum as many as it has terms.
template <class T, class Found>
void check_couplings(const HostCsr<T>& a, const Found& found) {
    SCOPED_TRACE(std::to_string(a.n_rows) + " rows");
    using Wide = long double;
    std::vector<Wide> diagonal(static_cast<std::size_t>(a.n_rows));
    Wide strongest = 0, sum_of_strongest = 0, sum = 0, sum_of_sizes = 0, trace = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        const auto for_entries = [&](Index row, const auto& f) {
            for (auto k = row_ptr[row]; k < row_ptr[row + 1]; ++k) f(a.col_idx[k], static_cast<Wide>(a.values[k]));
        };
        for (Index i = 0; i < a.n_rows; ++i) {
            for_entries(i, [&](Index j, Wide value) {
                if (i == j) diagonal[static_cast<std::size_t>(i)] = value;
            });
        }
        for (Index i = 0; i < a.n_rows; ++i) {
            Wide of_row = 0;
            const Wide own = diagonal[static_cast<std::size_t>(i)];
            for_entries(i, [&](Index j, Wide value) {
                sum += value;
                sum_of_sizes += std::abs(value);
                if (i == j) trace += value;
                const Wide other = diagonal[static_cast<std::size_t>(j)];
                if (i != j) of_row = std::max(of_row, std::abs(value) / std::sqrt(own) / std::sqrt(other));
            });
            strongest = std::max(strongest, of_row);
            sum_of_strongest += of_row;
        }
    });
    constexpr Wide eps = std::numeric_limits<double>::epsilon(), of_one = 6 * eps;
    const CouplingStrength was = found(a);
    EXPECT_TRUE(std::abs(was.strongest - strongest) <= of_one * strongest) << was.strongest;
    const Wide mean = sum_of_strongest / a.n_rows;
    EXPECT_TRUE(std::abs(was.mean_strongest - mean) <= (of_one + a.n_rows * eps) * mean) << was.mean_strongest;
    const Wide of_sums = static_cast<Wide>(a.nnz()) * eps * (sum_of_sizes + std::abs(sum)) / trace;
    EXPECT_TRUE(std::abs(was.quotient_of_ones - sum / trace) <= of_sums) << was.quotient_of_ones;
    const CouplingStrength again = found(with_wide_offsets(a));
    EXPECT_EQ(was.strongest, again.strongest);
    EXPECT_EQ(was.mean_strongest, again.mean_strongest);
    EXPECT_EQ(was.quotient_of_ones, again.quotient_of_ones);
}

/// Short rows, long ones, few and many; rows and columns of other sizes, which change no coupling but for rounding.
template <class T, class Found>
void check_couplings_of_all_kinds(const Found& found) {
    OpenMP host(2);
    check_couplings(poisson2d<T>(host, 1, 1), found);
    check_couplings(poisson2d<T>(host, 7, 5), found);
    check_couplings(poisson2d<T>(host, 300, 200), found);
    check_couplings(poisson3d<T>(host, 20, 21, 22), found);
    check_couplings(stencil27<T>(host, 30, 31, 32), found);
    for (const Index n : {2, 31, 33, 512, 513, 1000, 20000}) {
        HostCsr<T> a = random_spd<T>(host, n);
        check_couplings(a, found);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < n; ++i) {
                for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    a.values[k] = std::ldexp(a.values[k], i % 60 - 30 + a.col_idx[k] % 60 - 30);
                }
            }
        });
        check_couplings(a, found);
    }
}

template <class T, class Found>
void check_couplings_that_are_known(const Found& found) {
    OpenMP host(2);
    const CouplingStrength none = found(HostCsr<T>{});
    EXPECT_EQ(none.strongest, 0);
    EXPECT_EQ(none.mean_strongest, 0);
    EXPECT_EQ(none.quotient_of_ones, 1);
    const CouplingStrength square = found(poisson2d<T>(host, 64, 64));
    EXPECT_EQ(square.strongest, 0.25);
    EXPECT_EQ(square.mean_strongest, 0.25);
    EXPECT_EQ(square.quotient_of_ones, 1.0 / 64);
    const CouplingStrength pair = found(csr_from_rows<T>(
        3, std::vector<std::vector<std::pair<Index, T>>>{{{0, 4}, {1, -7}}, {{0, -7}, {1, 16}}, {{2, 1}}}));
    EXPECT_DOUBLE_EQ(pair.strongest, 0.875);
    EXPECT_DOUBLE_EQ(pair.mean_strongest, 1.75 / 3);
    EXPECT_DOUBLE_EQ(pair.quotient_of_ones, 7.0 / 21);
    HostCsr<T> broken = poisson2d<T>(host, 40, 40);
    broken.values[broken.nnz() / 2] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(found(broken).quotient_of_ones)) << "a NaN leaves its trace in sums";
}

}  // namespace stiefel::test
