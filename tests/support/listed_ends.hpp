#pragma once

#include "support/bounds.hpp"
#include "support/brought.hpp"
#include "support/matrices.hpp"
#include "support/slow_monitor.hpp"
#include "support/true_residual.hpp"

#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <variant>

namespace stiefel::test {

/// How CG ends with every listed preconditioner, on any backend; what is told of x is held against x.
template <class B, class T>
class ListedEnds {
public:
    explicit ListedEnds(B& backend) : backend_(backend) {}

    void converged() {
        constexpr double rtol = std::is_same_v<T, double> ? 1e-10 : 1e-4;
        with_every_one([&](const auto& entry) {
            const SolveResult result = solve(entry, grid(), {.rtol = rtol});
            EXPECT_EQ(to_string(result.reason), "converged");
            EXPECT_LE(result.relative_residual, rtol);
        });
    }

    /// Nobody gets there: rounding A x leaves more.
    void stagnated() {
        with_every_one([&](const auto& entry) {
            const double rtol = static_cast<double>(std::numeric_limits<T>::epsilon()) / 16;
            const SolveResult result = solve(entry, grid(), {.rtol = rtol});
            EXPECT_EQ(to_string(result.reason), "stagnated");
            EXPECT_EQ(to_string(result.evidence), "rounding");
        });
    }

    /// After its second iteration, which a device waits for.
    void ended_from_outside() {
        with_every_one([&](const auto& entry) {
            const auto monitor = [](const CgProgress& progress) { return progress.iteration < 2; };
            const SolveResult asked = solve(entry, grid(), {.rtol = 0, .monitor = monitor, .pauses = {2}});
            EXPECT_EQ(to_string(asked.reason), "interrupted");
            EXPECT_EQ(asked.iterations, 2);
            constexpr double limit = 2e-3;
            SlowAt slow(2, limit);
            const SolveResult late =
                solve(entry, grid(), {.rtol = 0, .monitor = std::ref(slow), .pauses = {2}, .time_limit = limit});
            EXPECT_EQ(to_string(late.reason), "time_limit");
            EXPECT_GE(late.seconds, limit);
            EXPECT_LE(late.iterations, 2);
            const SolveResult limited = solve(entry, grid(), {.rtol = 0, .max_iterations = 2});
            EXPECT_EQ(to_string(limited.reason), "max_iterations");
            EXPECT_EQ(limited.iterations, 2);
        });
    }

    /// A - I of a grid has a positive diagonal and negative eigenvalues. The set-up of multigrid may find that out.
    void not_positive_definite() {
        HostCsr<T> a = grid();
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) a.values[k] -= a.col_idx[k] == i ? T{1} : T{0};
            }
        });
        with_every_one([&](const auto& entry) {
            try {
                const SolveResult result = solve(entry, a, {.rtol = 1e-4});
                EXPECT_EQ(to_string(result.reason), "not_positive_definite");
                EXPECT_NE(result.evidence, Evidence::none);
            } catch (const amg::NotDefinite&) {
                EXPECT_EQ(entry.name, "amg");
            }
        });
    }

private:
    HostCsr<T> grid() {
        OpenMP maker(1);
        return poisson2d<T>(maker, 20, 21);
    }

    template <class F>
    void with_every_one(F&& f) {
        for (const auto& entry : preconditioners<B, T>) {
            SCOPED_TRACE(entry.name);
            f(entry);
        }
    }

    SolveResult solve(const PreconditionerEntry<B, T>& entry, const HostCsr<T>& host, const CgOptions& options) {
        auto csr = brought(backend_, host);
        const auto& kernel = spmv_kernels(backend_, csr).back();
        const SpmvOperator<B, T> a(std::move(csr), kernel);
        const auto chosen = entry.prepare(backend_, brought(backend_, host))(backend_, a, 1);
        const HostVector<T> b = random_vector<T>(host.n_rows, 5);
        const auto b_here = brought(backend_, b);
        auto x_here = brought(backend_, HostVector<T>(b.size(), T{0}));
        const SolveResult result =
            std::visit([&](const auto& m) { return cg(backend_, a, m, b_here, x_here, options); }, chosen);
        HostVector<T> x(b.size());
        download(backend_, x_here, x);
        EXPECT_TRUE(
            within(result.relative_residual, true_relative_residual(host, b, x), true_residual_bound(host, b, x)));
        return result;
    }

    B& backend_;
};

}  // namespace stiefel::test
