#pragma once

#include "stiefel/core/multivector.hpp"
#include "stiefel/solver/block_solve_result.hpp"
#include "support/cg_ends.hpp"

#include <cmath>

namespace stiefel::test {

/// Every reason that the loop of block CG finds by itself, for two columns, after iterations that CUDA does not sample.
///   solve(a, b, x, options)  from the guesses x to the solutions, all on the host
template <class T, class Solve>
void check_late_block_ends(Solve&& solve) {
    for (const CgCase<T>& one : late_cases<T>(41)) {
        SCOPED_TRACE(one.name);
        const Index n = one.a.n_rows;
        HostMultivector<T> b(HostVector<T>(Size{n} * 2), n, 2), x(HostVector<T>(Size{n} * 2, T{0}), n, 2);
        for (Index i = 0; i < n; ++i) {
            b.values()[Size{i} * 2] = static_cast<T>(one.b[static_cast<std::size_t>(i)]);
            b.values()[Size{i} * 2 + 1] = (i / 100) % 2 == 0 ? b.values()[Size{i} * 2] : -b.values()[Size{i} * 2];
        }
        CgOptions options = one.options;
        if (one.reason == StopReason::max_iterations) options.max_iterations = 13;
        const BlockSolveResult result = solve(one.a, b, x, options);
        EXPECT_EQ(to_string(result.reason), to_string(one.reason));
        EXPECT_GT(result.iterations, 10);
        for (Index j = 0; j < 2; ++j) {
            const ColumnResult& told = result.columns[static_cast<std::size_t>(j)];
            EXPECT_EQ(to_string(told.reason), to_string(one.reason)) << j;
            if (one.reason == StopReason::not_positive_definite) {
                EXPECT_NE(told.evidence, Evidence::none);
                EXPECT_NE(told.evidence, Evidence::preconditioner);
                // Only the indefinite one is proven to be so.
                EXPECT_EQ(told.evidence == Evidence::negative_curvature, one.name == "negative");
            }
            HostVector<T> of_b(n), of_x(n);
            for (Index i = 0; i < n; ++i) {
                of_b[i] = b.values()[Size{i} * 2 + j];
                of_x[i] = x.values()[Size{i} * 2 + j];
            }
            const auto actual = static_cast<double>(true_relative_residual(one.a, of_b, of_x));
            EXPECT_TRUE(std::abs(actual - told.relative_residual) <= 1e-3 * actual + 1e-6) << actual;
            EXPECT_TRUE(cg_trusts_last(one.reason) || actual <= 1 + 1e-6) << actual;
        }
    }
}

}  // namespace stiefel::test
