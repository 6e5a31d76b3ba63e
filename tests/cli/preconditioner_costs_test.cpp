// What iterations and set-ups are expected to take.

#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace stiefel::cli {
namespace {

/// Rows of 13 entries and of 69, as those of bcsstm12 and of bricks 12 on a side.
TEST(PreconditionerCosts, FsaiIsConsideredLaterWhereItsSetUpTakesLonger) {
    const StrongOnes alone{.fsai = true}, beside_amg{.amg = true, .fsai = true};
    EXPECT_EQ(iterations_before_fsai(alone, cost_of_fsai(1473, 19659)), 30);
    EXPECT_EQ(iterations_before_fsai(alone, cost_of_fsai(6084, 419364)), 80);
    EXPECT_EQ(iterations_before_fsai(beside_amg, cost_of_fsai(100000, 500000)), 120);
}

/// Where coefficients are constant an iteration hardly reads the matrix, where every value is another it reads all.
TEST(PreconditionerCosts, WhatIsStoredOnceIsNotReadByAnIteration) {
    OpenMP backend(2);
    const auto ratio = [&](const HostCsr<double>& a) {
        auto shared = compressed_sell_from_csr(backend, a, 1);
        const auto& kernel = spmv_kernels(backend, shared).front();
        return shared_bytes_ratio(SpmvOperator<OpenMP, double>(std::move(shared), kernel), 1);
    };
    HostCsr<double> a = poisson3d<double>(backend, 32, 32, 32);
    EXPECT_NEAR(ratio(a), (7.0 + 10) / 10, 0.2) << "seven values a row beside ten of vectors";
    for (Size k = 0; k < a.nnz(); ++k) a.values[k] += static_cast<double>(k) / 65536;
    EXPECT_EQ(ratio(a), 1);
}

/// On a device, of an elastic body whose values are stored once: its entries are fetched for all the same. Where every
/// entry has its own twelve bytes, these take longer.
TEST(PreconditionerCosts, WhatIsStoredOnceIsFetchedForEveryEntry) {
    EXPECT_NEAR(seconds_of_fetches(5.2e7, 2e6, 4e12), 83e-6, 1e-6);
    EXPECT_EQ(seconds_of_fetches(5.2e7, 12 * 5.2e7, 4e12), 0);
}

}  // namespace
}  // namespace stiefel::cli
