#pragma once

#include "support/bounds.hpp"
#include "support/brought.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

namespace stiefel::test {

/// Matrices that multigrid was not made for, on any backend: they are solved, or it is said what speaks against them.
template <class B>
class AmgBadInputSuite {
public:
    explicit AmgBadInputSuite(B& backend) : backend_(backend) {}

    /// Parts of any scale, and rows coupled to nothing.
    void disconnected_blocks_are_solved() {
        LaplacianRows rows;
        for (const double scale : {1e-6, 1.0, 3e5}) append(poisson2d<double>(maker_, 20, 20), scale, rows);
        for (Index k = 0; k < 200; ++k) {
            const auto i = static_cast<Index>(rows.size());
            rows.push_back({{i, 0.1 + k}});
        }
        const auto a = matrix(rows);
        expect_solved(a, random_vector<double>(a.n_rows, 1), 14);
    }

    /// Floating parts, some of which become one aggregate on which nothing is left of A: there is nothing to solve for.
    void disconnected_singular_blocks_are_solved_where_consistent() {
        LaplacianRows rows;
        for (const Index n : {400, 3, 3, 4, 5, 7, 300}) append_ring(n, 0.1 * n, rows);
        append(poisson2d<double>(maker_, 10, 10), 1, rows);
        const auto a = matrix(rows);
        HostVector<double> b(a.n_rows, 0.0);
        spmv(maker_, a, random_vector<double>(a.n_rows, 2), b);
        expect_solved(a, b, 25, 1e-7);
    }

    /// A row coupled to all: its aggregate must not swallow the matrix, nor coarse matrices become dense.
    void dense_rows_stay_few() {
        LaplacianRows rows;
        append(poisson2d<double>(maker_, 40, 40), 1, rows);
        const auto last = static_cast<Index>(rows.size());
        for (const double coupling : {0.01, 1.0}) {
            SCOPED_TRACE(coupling);
            LaplacianRows arrow = rows;
            for (Index i = 0; i < last; ++i) {
                for (auto& [column, value] : arrow[static_cast<std::size_t>(i)]) value += column == i ? coupling : 0;
                arrow[static_cast<std::size_t>(i)].emplace_back(last, -coupling);
            }
            auto& row = arrow.emplace_back();
            for (Index i = 0; i < last; ++i) row.emplace_back(i, -coupling);
            row.emplace_back(last, coupling * last + 1);
            const auto a = matrix(arrow);
            const auto details = Amg<B, double>(backend_, brought(backend_, a)).details();
            EXPECT_LE(details.operator_complexity(), HostBackend<B> ? 1.6 : 2.0);
            expect_solved(a, random_vector<double>(a.n_rows, 3), 16);
        }
    }

    void indefinite_matrices_are_not_said_to_be_solved() {
        const auto shifted = [&](double shift) {
            auto a = poisson2d<double>(maker_, 40, 40);
            a.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < a.n_rows; ++i) {
                    for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) a.values[k] -= a.col_idx[k] == i ? shift : 0;
                }
            });
            return a;
        };
        // The set-up meets a direction of negative curvature itself; that of a device aggregates in its own way ...
        try {
            const auto a = shifted(1);
            const SolveResult result = solve(a, random_vector<double>(a.n_rows, 3), 1e-8);
            EXPECT_EQ(result.reason, StopReason::not_positive_definite);
            EXPECT_FALSE(HostBackend<B>) << "was set up";
        } catch (const amg::NotDefinite& problem) {
            EXPECT_NE(std::string(problem.what()).find("not positive definite: p'A p is -"), std::string::npos);
        }
        // ... or CG does: the smallest eigenvalue is 8 sin(pi / 82)^2 = 0.0117 before the shift.
        const auto a = shifted(0.02);
        EXPECT_EQ(solve(a, random_vector<double>(a.n_rows, 3), 1e-8).reason, StopReason::not_positive_definite);
    }

    /// At both ends of the range of double precision, and far apart from each other.
    void huge_ranges_are_solved() {
        for (const double scale : {1e-300, 1e300, 1e-30}) {
            SCOPED_TRACE(scale);
            LaplacianRows rows;
            append(poisson2d<double>(maker_, 30, 30), scale, rows);
            const auto a = matrix(rows);
            expect_solved(a, random_vector<double>(a.n_rows, 1), 12);
        }
    }

    /// A grid of uneven couplings with so much of its diagonal added. Single precision is not positive definite where
    /// that is less than it can tell, or nothing: a trial sees it, and the hierarchy is made in double.
    void nearly_singular_matrices_take_double_precision() {
        const HostVector<double> b = without_mean(random_vector<double>(300 * 300, 4));
        for (const double shift : {1e-6, 1e-13, 0.0}) {
            SCOPED_TRACE(shift);
            const auto a = floating_grid(300, shift);
            const auto m = amg::in_suitable_precision<B, double>(backend_, brought(backend_, a), {});
            const bool takes_double = std::holds_alternative<Amg<B, double, double>>(m);
            const auto about = std::visit([](const auto& made) { return made.details(); }, m);
            ASSERT_TRUE(about.multigrid->trial);
            const double found = *about.multigrid->trial;
            // Of a singular one it may be that the last aggregate is dropped, and nothing is near to singular.
            if (shift > 0) {
                EXPECT_NEAR(found / shift, 1, 0.2);
                EXPECT_EQ(takes_double, shift < 1e-10);
            }
            EXPECT_EQ(takes_double, !(found >= amg::least_in_single));
            EXPECT_EQ(about.multigrid->precision, takes_double ? "double" : "single");
            EXPECT_EQ(std::string(about.setup.back().name), "trial");
            expect_solved(a, b, 25, shift > 1e-10 ? 1e-8 : 1e-7);
        }
    }

private:
    /// n x n nodes; the sums of rows are shift times the diagonal.
    HostCsr<double> floating_grid(Index n, double shift) {
        auto a = poisson2d<double>(maker_, n, n);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                double sum = 0;
                Size diagonal = 0;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    const Index j = a.col_idx[k];
                    const auto mixed = static_cast<unsigned>(std::min(i, j)) * 2654435761U ^
                                       static_cast<unsigned>(std::max(i, j)) * 39570531U;
                    a.values[k] = -1 - 0.1 * (mixed >> 8 & 0xffff) / 65536;
                    if (j == i) diagonal = k;
                    if (j != i) sum -= a.values[k];
                }
                a.values[diagonal] = sum * (1 + shift);
            }
        });
        return a;
    }
    static HostVector<double> without_mean(HostVector<double> v) {
        double sum = 0;
        for (const double each : v.span()) sum += each;
        for (double& each : v.span()) each -= sum / static_cast<double>(v.size());
        return v;
    }

    /// Appends factor times A, coupled to nothing before.
    static void append(const HostCsr<double>& a, double factor, LaplacianRows& rows) {
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
    static HostCsr<double> matrix(const LaplacianRows& rows) {
        return csr_from_rows<double>(static_cast<Index>(rows.size()), rows);
    }

    /// With a residual that is told as it is.
    SolveResult solve(const HostCsr<double>& a, const HostVector<double>& b, double rtol) {
        const auto a_here = brought(backend_, a);
        const auto b_here = brought(backend_, b);
        auto x_here = brought(backend_, HostVector<double>(a.n_rows, 0.0));
        const SolveResult result = std::visit(
            [&](const auto& m) {
                return cg(backend_, a_here, m, b_here, x_here, {.rtol = rtol, .max_iterations = 500});
            },
            amg::in_suitable_precision<B, double>(backend_, a_here, {}));
        HostVector<double> x(a.n_rows);
        download(backend_, x_here, x);
        EXPECT_TRUE(within(result.relative_residual, true_relative_residual(a, b, x), true_residual_bound(a, b, x)));
        return result;
    }

    /// most: iterations on a host; aggregates of a device are others.
    void expect_solved(const HostCsr<double>& a, const HostVector<double>& b, Size most, double rtol = 1e-8) {
        const SolveResult result = solve(a, b, rtol);
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(result.iterations, HostBackend<B> ? most : most + most / 4 + 2);
    }

    B& backend_;
    OpenMP maker_{1};
};

}  // namespace stiefel::test
