#pragma once

#include "support/bounds.hpp"
#include "support/brought.hpp"
#include "support/dense_cycle.hpp"
#include "support/matrices.hpp"

#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/coarse_cycle.hpp"
#include "stiefel/preconditioner/amg/to_level.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace stiefel::test {

/// Cycles of any parts on any backend, in precision S, against those of dense matrices: every column of M.
template <class B, class S>
class DenseCycleSuite {
public:
    explicit DenseCycleSuite(B& backend) : backend_(backend) {}

    void every_cycle_is_that_of_dense_matrices() {
        const std::vector<HostCsr<double>> matrices = systems();
        for (const char* const smoother : {"chebyshev", "l1-jacobi", "spai0"}) {
            for (const amg::CycleKind& kind : amg::cycles) {
                for (const HostCsr<double>& a : matrices) {
                    SCOPED_TRACE(std::string(smoother) + ", " + std::string(kind.name) + ", " +
                                 std::to_string(a.n_rows) + " rows");
                    compare(a, smoother, kind);
                }
            }
        }
    }

private:
    using Levels = std::vector<amg::CycleLevel<B, S>>;

    static constexpr auto eps = static_cast<double>(std::numeric_limits<S>::epsilon());

    /// Short rows and long ones, and coefficients that jump.
    std::vector<HostCsr<double>> systems() {
        std::vector<HostCsr<double>> list;
        list.push_back(poisson2d<double>(maker_, 9, 8));
        list.push_back(stencil27<double>(maker_, 4, 4, 4));
        list.push_back(jump_diffusion3d<double>(maker_, 4, 4, 4, {.contrast = 100}));
        return list;
    }

    void compare(const HostCsr<double>& a, const char* smoother, const amg::CycleKind& kind) {
        const amg::SetupOptions options{.smoother = smoother, .cycle = kind.name, .coarsest_rows = 4};
        const auto& entry = amg::find_listed(amg::smoothers<B, S>, "smoother", smoother);
        Levels levels;
        DenseCycle dense(smoother, kind);
        amg::VisitPlan visits(kind, HostBackend<B>);
        std::unique_ptr<amg::Coarsening> coarsening;
        HostVector<double> diagonal;
        amg::build_hierarchy(maker_, a, options, coarsening, [&](const amg::Level& level) {
            if (levels.empty()) diagonal = level.diagonal.clone();
            const bool is_twice = level.transfer && visits.next_is_visited_twice(level.a.nnz());
            levels.push_back(amg::to_cycle_level<B, S>(backend_, level, entry, is_twice));
            levels.back().reserve(backend_, 1);
            dense.add(level, is_twice);
        });
        ASSERT_GE(levels.size(), 3U);
        const amg::CoarseCycle<B, S> coarse(levels);
        for (Index j = 0; j < a.n_rows; ++j) {
            HostVector<S> r(a.n_rows, S{0}), x(a.n_rows);
            r[j] = 1;
            upload(backend_, r, levels[0].r);
            amg::Cycle<B, S>(backend_, levels, kind, &coarse, 1).run();
            download(backend_, levels[0].x, x);
            expect_near(x, dense({r.begin(), r.end()}));
        }
        if constexpr (HostBackend<B>) expect_amg(a, options, diagonal, dense);
    }

    /// Each of some ten products a level is off by a few units of rounding, which the smoothers damp and the coarsest
    /// inverse does not magnify beyond |M|.
    template <class T>
    static void expect_near(const HostVector<T>& x, const DenseCycle::Values& expected) {
        long double largest = 0;
        for (const long double value : expected) largest = std::max(largest, std::abs(value));
        for (Size i = 0; i < x.size(); ++i) {
            ASSERT_TRUE(within(x[i], expected[static_cast<std::size_t>(i)], 1000 * eps * largest)) << i;
        }
    }

    /// The preconditioner is that cycle, scaled on its way in and out.
    void expect_amg(const HostCsr<double>& a, const amg::SetupOptions& options, const HostVector<double>& diagonal,
                    const DenseCycle& dense) {
        const Amg<B, double, S> m(backend_, a, options);
        const HostVector<double> r = random_vector<double>(a.n_rows, 3);
        HostVector<double> z(a.n_rows);
        precondition(backend_, m, {r.data(), a.n_rows, 1, 1}, {z.data(), a.n_rows, 1, 1});
        DenseCycle::Values scaled;
        for (Index i = 0; i < a.n_rows; ++i) scaled.push_back(r[i] / std::sqrt(diagonal[i]));
        for (Index i = 0; i < a.n_rows; ++i) z[i] *= std::sqrt(diagonal[i]);
        expect_near(z, dense(scaled));
    }

    B& backend_;
    OpenMP maker_{1};
};

}  // namespace stiefel::test
