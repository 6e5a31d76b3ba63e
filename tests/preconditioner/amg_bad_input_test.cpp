// Matrices that multigrid was not made for: they are solved, or it is said what speaks against them.

#include "stiefel/preconditioner/amg/amg.hpp"

#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/csr_checks.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using Rows = LaplacianRows;

/// Appends factor times A, coupled to nothing before.
void append(const HostCsr<double>& a, double factor, Rows& rows) {
    const auto first = static_cast<Index>(rows.size());
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            auto& row = rows.emplace_back();
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                row.emplace_back(first + a.col_idx[k], factor * a.values[k]);
            }
        }
    });
}

HostCsr<double> matrix(const Rows& rows) {
    return csr_from_rows<double>(static_cast<Index>(rows.size()), rows);
}

SolveResult solve(const HostCsr<double>& a, const HostVector<double>& b, double rtol = 1e-8) {
    OpenMP backend(1);
    HostVector<double> x(a.n_rows, 0.0);
    return std::visit([&](const auto& m) { return cg(backend, a, m, b, x, {.rtol = rtol, .max_iterations = 500}); },
                      amg::in_suitable_precision<OpenMP, double>(backend, a, {}));
}

/// Parts of any scale, and rows coupled to nothing.
TEST(AmgBadInput, DisconnectedBlocksAreSolved) {
    OpenMP backend(1);
    Rows rows;
    for (const double scale : {1e-6, 1.0, 3e5}) append(poisson2d<double>(backend, 20, 20), scale, rows);
    for (Index k = 0; k < 200; ++k) {
        const auto i = static_cast<Index>(rows.size());
        rows.push_back({{i, 0.1 + k}});
    }
    const auto a = matrix(rows);
    const SolveResult result = solve(a, random_vector<double>(a.n_rows, 1));
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 14);
}

/// Floating parts, some of which become one aggregate on which nothing is left of A: there is nothing to solve for.
TEST(AmgBadInput, DisconnectedSingularBlocksAreSolvedWhereConsistent) {
    OpenMP backend(1);
    Rows rows;
    for (const Index n : {400, 3, 3, 4, 5, 7, 300}) append_ring(n, 0.1 * n, rows);
    append(poisson2d<double>(backend, 10, 10), 1, rows);
    const auto a = matrix(rows);
    HostVector<double> b(a.n_rows, 0.0);
    const HostVector<double> x = random_vector<double>(a.n_rows, 2);
    spmv(backend, a, x, b);
    const SolveResult result = solve(a, b, 1e-7);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 25);
}

/// A row coupled to all: its aggregate must not swallow the matrix, nor coarse matrices become dense.
TEST(AmgBadInput, DenseRowsStayFew) {
    OpenMP backend(1);
    Rows rows;
    append(poisson2d<double>(backend, 40, 40), 1, rows);
    const auto last = static_cast<Index>(rows.size());
    for (const double coupling : {0.01, 1.0}) {
        Rows arrow = rows;
        for (Index i = 0; i < last; ++i) {
            for (auto& [column, value] : arrow[static_cast<std::size_t>(i)]) value += column == i ? coupling : 0;
            arrow[static_cast<std::size_t>(i)].emplace_back(last, -coupling);
        }
        auto& row = arrow.emplace_back();
        for (Index i = 0; i < last; ++i) row.emplace_back(i, -coupling);
        row.emplace_back(last, coupling * last + 1);
        const auto a = matrix(arrow);
        const auto details = Amg<OpenMP, double>(backend, a).details();
        EXPECT_LE(details.operator_complexity(), 1.6) << coupling;
        const SolveResult result = solve(a, random_vector<double>(a.n_rows, 3));
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(result.iterations, 16) << coupling;
    }
}

TEST(AmgBadInput, IndefiniteMatricesAreNotSaidToBeSolved) {
    OpenMP backend(1);
    const auto shifted = [&](double shift) {
        auto a = poisson2d<double>(backend, 40, 40);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) a.values[k] -= a.col_idx[k] == i ? shift : 0;
            }
        });
        return a;
    };
    // The set-up meets a direction of negative curvature itself ...
    try {
        const Amg<OpenMP, double> m(backend, shifted(1));
        FAIL() << "an indefinite matrix";
    } catch (const amg::NotDefinite& problem) {
        EXPECT_NE(std::string(problem.what()).find("not positive definite: p'A p is -"), std::string::npos);
    }
    // ... or CG does: the smallest eigenvalue is 8 sin(pi / 82)^2 = 0.0117 before the shift.
    const auto a = shifted(0.02);
    const SolveResult result = solve(a, random_vector<double>(a.n_rows, 3));
    EXPECT_EQ(result.reason, StopReason::not_positive_definite);
}

/// At both ends of the range of double precision, and far apart from each other.
TEST(AmgBadInput, HugeRangesAreSolved) {
    OpenMP backend(1);
    for (const double scale : {1e-300, 1e300, 1e-30}) {
        Rows rows;
        append(poisson2d<double>(backend, 30, 30), scale, rows);
        const auto a = matrix(rows);
        const SolveResult result = solve(a, random_vector<double>(a.n_rows, 1));
        EXPECT_EQ(result.reason, StopReason::converged) << scale;
        EXPECT_LE(result.iterations, 12) << scale;
    }
}

}  // namespace
}  // namespace stiefel::test
