#pragma once

#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/brought.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {

/// A hierarchy that gets new values, on any backend.
template <class B>
class AmgUpdateSuite {
public:
    explicit AmgUpdateSuite(B& backend) : backend_(backend) {}

    /// The same values: the same bits. Four times the values: a quarter, since powers of two and their roots are exact.
    void new_values_are_taken() {
        for (const auto& [a, coarsening, block] : systems()) {
            SCOPED_TRACE(std::string(coarsening) + " " + std::to_string(block) + ", rows: " + std::to_string(a.n_rows));
            auto m = updatable(a);
            EXPECT_EQ(m.details().multigrid->coarsening, coarsening);
            EXPECT_EQ(m.details().multigrid->block_size, block);
            ASSERT_GE(m.details().levels.size(), 2U);
            const auto about = m.details();
            const HostVector<double> once = applied(m, a.n_rows);
            m.update_values(backend_, brought(backend_, a));
            const HostVector<double> again = applied(m, a.n_rows);
            m.update_values(backend_, brought(backend_, times(4, a)));
            const HostVector<double> quarter = applied(m, a.n_rows);
            for (Index i = 0; i < a.n_rows; ++i) {
                ASSERT_EQ(again[i], once[i]) << i;
                ASSERT_EQ(4 * quarter[i], once[i]) << i;
            }
            expect_same_levels(m.details(), about);
            EXPECT_EQ(m.bytes(), about.bytes);
        }
    }

    /// A coefficient that changes by up to its own size costs a few iterations at most.
    void solves_with_new_coefficients() {
        OpenMP maker(2);
        const auto mild = jump_diffusion3d<double>(maker, 24, 24, 24, {.contrast = 3});
        const auto steep = jump_diffusion3d<double>(maker, 24, 24, 24, {.contrast = 6});
        auto m = updatable(mild);
        m.update_values(backend_, brought(backend_, steep));
        const Size updated = expect_solved(steep, m), anew = expect_solved(steep, updatable(steep));
        EXPECT_LE(updated, anew + 3);
        m.update_values(backend_, brought(backend_, mild));
        EXPECT_EQ(expect_solved(mild, m), expect_solved(mild, updatable(mild)));
    }

    /// Panels stay as wide as they were reserved.
    void keeps_its_columns() {
        OpenMP maker(1);
        const auto a = poisson2d<double>(maker, 40, 40);
        auto m = updatable(a);
        m.reserve(backend_, 3);
        m.update_values(backend_, brought(backend_, a));
        const auto r = brought(backend_, random_vector<double>(3 * Size{a.n_rows}, 2));
        auto z = brought(backend_, HostVector<double>(r.size(), 0.0));
        EXPECT_NO_THROW(precondition(backend_, m, MatrixOf<B, const double>{r.data(), a.n_rows, 3, 3},
                                     MatrixOf<B, double>{z.data(), a.n_rows, 3, 3}));
    }

    void says_what_cannot_be() {
        OpenMP maker(1);
        const auto a = poisson2d<double>(maker, 40, 40), other = poisson2d<double>(maker, 41, 40);
        auto m = updatable(a);
        EXPECT_NE(refused(m, other).find("another pattern"), std::string::npos);
        EXPECT_NO_THROW(applied(m, a.n_rows)) << "as it was";
        HostCsr<double> bad = times(1, a);
        bad.values[0] = -4;
        EXPECT_NE(refused(m, bad).find("(1, 1)"), std::string::npos);
        EXPECT_THROW(applied(m, a.n_rows), InvalidArgument);
        m.update_values(backend_, brought(backend_, a));
        expect_solved(a, m);
        Amg<B, double> fixed(backend_, brought(backend_, a));
        EXPECT_NE(refused(fixed, a).find("for_updates"), std::string::npos);
        EXPECT_LT(fixed.bytes(), m.bytes());
    }

private:
    struct System {
        HostCsr<double> a;
        std::string_view coarsening;
        Index block;
    };

    static std::vector<System> systems() {
        OpenMP maker(2);
        std::vector<System> all;
        all.push_back({poisson3d<double>(maker, 24, 24, 24), "pairs", 1});
        all.push_back({stencil27<double>(maker, 16, 16, 16), "smoothed", 1});
        all.push_back({anisotropic2d<double>(maker, 60, 60, 1e-3), "smoothed", 1});
        all.push_back({elasticity3d<double>(maker, 8, 7, 7), "smoothed", 3});
        return all;
    }

    Amg<B, double> updatable(const HostCsr<double>& a) {
        return Amg<B, double>(backend_, brought(backend_, a), {.coarsest_rows = 60, .for_updates = true});
    }

    static HostCsr<double> times(double factor, const HostCsr<double>& a) {
        HostCsr<double> copy = cloned(a);
        for (double& value : copy.values) value *= factor;
        return copy;
    }

    HostVector<double> applied(const Amg<B, double>& m, Index n) {
        const auto r = brought(backend_, random_vector<double>(n, 4));
        auto z = brought(backend_, HostVector<double>(n, std::numeric_limits<double>::quiet_NaN()));
        precondition_vector(backend_, m, r, z);
        HostVector<double> back(n);
        download(backend_, z, back);
        return back;
    }

    static void expect_same_levels(const PreconditionerDetails& now, const PreconditionerDetails& before) {
        ASSERT_EQ(now.levels.size(), before.levels.size());
        for (std::size_t l = 0; l < now.levels.size(); ++l) {
            EXPECT_EQ(now.levels[l].rows, before.levels[l].rows);
            EXPECT_EQ(now.levels[l].nonzeros, before.levels[l].nonzeros);
            EXPECT_EQ(now.levels[l].visits, before.levels[l].visits);
        }
        EXPECT_EQ(now.multigrid->cycle, before.multigrid->cycle);
    }

    /// Iterations.
    Size expect_solved(const HostCsr<double>& a, const Amg<B, double>& m) {
        const HostVector<double> b = random_vector<double>(a.n_rows, 7);
        const auto a_here = brought(backend_, a);
        const auto b_here = brought(backend_, b);
        auto x_here = brought(backend_, HostVector<double>(a.n_rows, 0.0));
        const SolveResult result = cg(backend_, a_here, m, b_here, x_here, {.rtol = 1e-8});
        EXPECT_EQ(result.reason, StopReason::converged);
        HostVector<double> x(a.n_rows);
        download(backend_, x_here, x);
        EXPECT_LE(true_relative_residual(a, b, x), 1.01e-8);
        return result.iterations;
    }

    std::string refused(Amg<B, double>& m, const HostCsr<double>& a) {
        try {
            m.update_values(backend_, brought(backend_, a));
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return {};
    }

    B& backend_;
};

}  // namespace stiefel::test
