// Pieces of a matrix's graph that no entry joins, against a search from row to row.

#include "stiefel/analysis/components.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_csr.hpp"
#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using Rows = std::vector<std::vector<std::pair<Index, double>>>;

void expect_components(const ComponentInfo& info, Index number, Index smallest, Index largest) {
    EXPECT_EQ(info.number, number);
    EXPECT_EQ(info.smallest, smallest);
    EXPECT_EQ(info.largest, largest);
}

std::size_t place(Index i) {
    return static_cast<std::size_t>(i);
}

/// A with an entry for each that is only on the other side of the diagonal; all values are 1.
template <class T>
HostCsr<T> with_symmetric_pattern(const HostCsr<T>& a) {
    std::vector<std::map<Index, T>> both(place(a.n_rows));
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
                both[place(i)][a.col_idx[k]] = both[place(a.col_idx[k])][i] = 1;
        }
    });
    std::vector<std::vector<std::pair<Index, T>>> rows;
    for (const auto& row : both) rows.emplace_back(row.begin(), row.end());
    return csr_from_rows<T>(a.n_cols, rows);
}

/// The rows of each piece, by a search that follows every entry in both directions.
template <class T>
std::vector<Index> sizes_by_search(const HostCsr<T>& a) {
    std::vector<std::vector<Index>> beside(static_cast<std::size_t>(a.n_rows));
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                beside[place(i)].push_back(a.col_idx[k]);
                beside[place(a.col_idx[k])].push_back(i);
            }
        }
    });
    std::vector<Index> sizes;
    std::vector<bool> seen(beside.size());
    for (std::size_t start = 0; start < beside.size(); ++start) {
        if (seen[start]) continue;
        std::vector<std::size_t> open{start};
        seen[start] = true;
        for (std::size_t next = 0; next < open.size(); ++next) {
            for (const Index j : beside[open[next]]) {
                if (seen[place(j)]) continue;
                seen[place(j)] = true;
                open.push_back(place(j));
            }
        }
        sizes.push_back(static_cast<Index>(open.size()));
    }
    return sizes;
}

TEST(Components, OfAGridAreOne) {
    for (const int threads : {1, 2, 3, 7}) {
        OpenMP backend(threads);
        expect_components(analyse_components(backend, poisson3d<float>(backend, 20, 9, 11)), 1, 1980, 1980);
        expect_components(analyse_components(backend, poisson3d<float>(backend, 20, 9, 11), true), 1, 1980, 1980);
    }
}

TEST(Components, OneEntryJoinsWhicheverWayItPoints) {
    OpenMP backend(2);
    const auto of = [&](const Rows& rows) {
        return analyse_components(backend, csr_from_rows<double>(static_cast<Index>(rows.size()), rows));
    };
    expect_components(of({{{2, 1}}, {}, {}, {{3, 1}}}), 3, 1, 2);
    expect_components(of({{}, {}, {{0, 1}}, {{3, 1}}}), 3, 1, 2);
    expect_components(of({{{1, 1}}, {{2, 1}}, {{0, 1}}, {}}), 2, 1, 3);
    expect_components(of({{}}), 1, 1, 1);
    expect_components(of({}), 0, 0, 0);
}

TEST(Components, WhatIsStoredJoinsWhateverItsValue) {
    OpenMP backend(2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    expect_components(analyse_components(backend, csr_from_rows<double>(3, Rows{{{1, 0.0}}, {{2, nan}}, {}})), 1, 3, 3);
}

// Around one entry a row or less, random graphs have pieces of all sizes.
TEST(Components, AreThoseOfASearchOnAnyNumberOfThreads) {
    OpenMP one(1);
    for (const Index n : {1, 2, 7, 100, 3000}) {
        for (const double entries_a_row : {0.1, 0.4, 0.5, 0.7, 2.0}) {
            const auto a = stiefel::random_csr<double>(one, n, n, std::min(1.0, entries_a_row / n), 3);
            const std::vector<Index> sizes = sizes_by_search(a);
            const auto symmetric = with_symmetric_pattern(a);
            const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
            for (const int threads : {1, 2, 3, 7}) {
                OpenMP backend(threads);
                SCOPED_TRACE(n);
                expect_components(analyse_components(backend, a), static_cast<Index>(sizes.size()), *least, *most);
                expect_components(analyse_components(backend, symmetric, true), static_cast<Index>(sizes.size()),
                                  *least, *most);
            }
        }
    }
}

/// Chains whose neighbours lie far apart, so that threads join trees again and again that others grew meanwhile.
TEST(Components, OfLongChainsInAnyOrder) {
    constexpr Index n = 20'000, n_chains = 3;
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    Random random(11);
    for (Index last = n - 1; last > 0; --last) std::swap(order[place(last)], order[place(random.below(last + 1))]);
    Rows rows(n);
    for (Index i = 0; i + n_chains < n; ++i) rows[place(order[place(i)])].push_back({order[place(i + n_chains)], 1});
    const auto narrow = csr_from_rows<double>(n, rows);
    const auto wide = with_wide_offsets(narrow);
    for (const auto* a : {&narrow, &wide}) {
        for (const int threads : {1, 2, 7}) {
            OpenMP backend(threads);
            expect_components(analyse_components(backend, *a), n_chains, n / n_chains, n / n_chains + 1);
        }
    }
}

TEST(Components, AreOfSquareMatrices) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] {
                  analyse_components(backend, csr_from_rows<double>(3, Rows{{{0, 1}}}));
              }),
              "analyse_components: A must be square");
}

}  // namespace
}  // namespace stiefel::test
