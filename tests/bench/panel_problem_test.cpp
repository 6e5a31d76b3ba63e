#include "bench/suites/panel_problem.hpp"

#include "stiefel/core/serial.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiefel::bench {

namespace {

/// What the kernels of panels make of a problem.
void compute(PanelProblem& p, PanelOperation operation) {
    Serial serial;
    p.prepare(operation);
    run_panel<Serial, double>(
        serial, operation,
        {as_matrix(std::as_const(p.x), p.n, p.k), as_matrix(p.y, p.n, p.k), as_matrix(p.small, p.k, p.k)});
}

TEST(PanelProblem, AcceptsWhatIsRightAndRefusesAnyElementThatIsNot) {
    for (const Index k : {1, 3, 64}) {
        PanelProblem p(700, k);
        for (const PanelOperation operation : panel_operations) {
            SCOPED_TRACE(testing::Message() << to_string(operation) << " of " << k << " columns");
            compute(p, operation);
            EXPECT_TRUE(p.check(operation).accepted);
            HostVector<double>& result = is_gram(operation) ? p.small : p.y;
            for (const Size place : {Size{0}, result.size() / 2, result.size() - 1}) {
                const double right = result[place];
                for (const double wrong : {right + 1e-6, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
                    result[place] = wrong;
                    EXPECT_FALSE(p.check(operation).accepted) << wrong << " at " << place;
                }
                result[place] = right;
            }
        }
    }
}

TEST(PanelProblem, WhatIsNotWrittenIsWrong) {
    PanelProblem p(100, 4);
    for (const PanelOperation operation : panel_operations) {
        p.prepare(operation);
        EXPECT_FALSE(p.check(operation).accepted) << to_string(operation);
    }
}

TEST(PanelProblem, TheProductOfAnyMatricesIsTheSame) {
    PanelProblem p(500, 5);
    OpenMP openmp(2);
    for (const PanelOperation operation : panel_operations) {
        p.prepare(operation);
        run_panel_by_gemm<OpenMP>(
            openmp, operation,
            {as_matrix(std::as_const(p.x), p.n, p.k), as_matrix(p.y, p.n, p.k), as_matrix(p.small, p.k, p.k)});
        EXPECT_TRUE(p.check(operation).accepted) << to_string(operation);
    }
}

}  // namespace

}  // namespace stiefel::bench
