#include "stiefel/spmv/symmetric_permutation.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/dense_symbolic.hpp"
#include "support/fsai_reference.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace stiefel::test {
namespace {

HostVector<Index> shuffled(Index n, unsigned seed) {
    HostVector<Index> order(n);
    for (Index k = 0; k < n; ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
}

TEST(SymmetricPermutation, MovesRowsAndColumns) {
    OpenMP host(2);
    for (const HostCsr<double>& a : {poisson2d<double>(host, 9, 7), random_spd(50, 6, 1, 20, 3)}) {
        const HostVector<Index> order = shuffled(a.n_rows, 5);
        std::map<std::pair<Index, Index>, long double> entries;
        for_rows_of(a, [&](Index i, const auto& cols, const auto& values) {
            for (std::size_t k = 0; k < cols.size(); ++k) entries[{i, cols[k]}] = values[k];
        });
        const HostCsr<double> b = permuted(host, a, order);
        ASSERT_EQ(b.nnz(), a.nnz());
        for_rows_of(b, [&](Index i, const auto& cols, const auto& values) {
            EXPECT_TRUE(std::is_sorted(cols.begin(), cols.end()));
            for (std::size_t k = 0; k < cols.size(); ++k) {
                const auto found = entries.find({order[i], order[cols[k]]});
                ASSERT_NE(found, entries.end()) << i << ' ' << cols[k];
                EXPECT_EQ(found->second, values[k]);
            }
        });
    }
}

TEST(SymmetricPermutation, ComesBack) {
    const HostVector<Index> order = shuffled(40, 2);
    const HostVector<double> panel = random_vector<double>(120, 4);
    const HostVector<double> there = permuted(panel, order);
    for (Size j = 0; j < 3; ++j) {
        for (Size k = 0; k < 40; ++k) EXPECT_EQ(there[j * 40 + k], panel[j * 40 + order[k]]);
    }
    const HostVector<double> back = permuted_back(there, order);
    EXPECT_TRUE(std::equal(panel.begin(), panel.end(), back.begin(), back.end()));
    EXPECT_TRUE(permuted(HostVector<double>{}, order).empty());
}

TEST(SymmetricPermutation, RefusesWhatIsNoOrder) {
    OpenMP host(1);
    const HostCsr<double> a = poisson1d<double>(host, 4);
    EXPECT_THROW(permuted(host, a, HostVector<Index>{0, 1, 2}), InvalidArgument);
    EXPECT_THROW(permuted(host, a, HostVector<Index>{0, 1, 2, 2}), InvalidArgument);
    EXPECT_THROW(permuted(host, a, HostVector<Index>{0, 1, 2, 4}), InvalidArgument);
    EXPECT_THROW(permuted(host, a, HostVector<Index>{0, 1, 2, -1}), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
