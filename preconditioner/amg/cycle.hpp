#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/preconditioner/amg/elements.hpp"
#include "stiefel/preconditioner/amg/smoother.hpp"
#include "stiefel/spmv/operator.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace stiefel::amg {

/// A level as the cycle works with it, on backend B in precision S: symmetrically scaled, so that its matrix has a unit
/// diagonal and no entry beyond 1, whatever the range of A's.
template <class B, class S>
struct CycleLevel {
    SpmvOperator<B, S> a;
    ChebyshevSmoother smoother;
    std::optional<SpmvOperator<B, S>> prolong, restrict_, inverse;
    VectorOf<B, S> r, x, d, e;  ///< panels of n rows, the scratch of a cycle

    /// Room for panels of so many columns.
    void reserve(B& backend, Index columns) {
        const Size size = Size{a.n_rows()} * columns;
        if (r.size() >= size) return;
        for (auto* panel : {&r, &x}) *panel = make_vector<S>(backend, size);
        if (inverse) return;
        for (auto* panel : {&d, &e}) *panel = make_vector<S>(backend, size);
    }

    Size bytes() const {
        Size sum = a.bytes() + r.bytes() + x.bytes() + d.bytes() + e.bytes();
        for (const auto* product : {&prolong, &restrict_, &inverse}) sum += *product ? (*product)->bytes() : 0;
        return sum;
    }
};

/// One V-cycle: x = M r with the residual kept up to date on the way, so that nothing but r, x and the last step is
/// ever read. The same polynomial smooths before and after, so M is symmetric. With p products a smoothing, a level
/// takes 2 p products with its matrix, one with P and one with P'.
template <class B, class S>
class Cycle {
public:
    using LevelOf = CycleLevel<B, S>;

    Cycle(B& backend, std::vector<LevelOf>& levels, Index columns) : backend_(backend), levels_(levels), k_(columns) {}

    void run(std::size_t l = 0) {
        LevelOf& level = levels_[l];
        if (level.inverse) return multiply(*level.inverse, level.r, level.x, S{1}, S{0});
        smooth_from_zero(level);
        if (!level.prolong) return;  // the coarsest, too large to be inverted
        correct(l);
        smooth_after_correction(level);
    }

private:
    void smooth_from_zero(LevelOf& level) {
        const auto& steps = level.smoother.steps();
        each(level, 3, BeginFromZero<S>{S(steps[0].sigma), level.r.data(), level.d.data(), level.x.data()});
        take_steps(level);
    }

    void smooth_after_correction(LevelOf& level) {
        const auto& steps = level.smoother.steps();
        residual(level, level.e);
        each(level, 5,
             BeginFromCorrection<S>{S(steps[0].sigma), level.r.data(), level.e.data(), level.d.data(), level.x.data()});
        take_steps(level);
    }

    void take_steps(LevelOf& level) {
        const auto& steps = level.smoother.steps();
        for (std::size_t k = 1; k < steps.size(); ++k) {
            residual(level, level.d);
            each(level, 5,
                 Continue<S>{S(steps[k].rho), S(steps[k].sigma), level.r.data(), level.d.data(), level.x.data()});
        }
    }

    /// e = P M_c P' (r - A d)
    void correct(std::size_t l) {
        LevelOf& level = levels_[l];
        LevelOf& coarse = levels_[l + 1];
        residual(level, level.d);
        multiply(*level.restrict_, level.r, coarse.r, S{1}, S{0});
        run(l + 1);
        multiply(*level.prolong, coarse.x, level.e, S{1}, S{0});
    }

    /// r -= A step
    void residual(LevelOf& level, const VectorOf<B, S>& step) { multiply(level.a, step, level.r, S{-1}, S{1}); }

    void multiply(const SpmvOperator<B, S>& a, const VectorOf<B, S>& x, VectorOf<B, S>& y, S alpha, S beta) {
        if (k_ == 1) return a.run(backend_, {.x = x.data(), .y = y.data(), .alpha = alpha, .beta = beta});
        spmm(backend_, a, {x.data(), a.n_cols(), k_, k_}, {y.data(), a.n_rows(), k_, k_}, alpha, beta);
    }

    template <class Operation>
    void each(const LevelOf& level, int streams, const Operation& operation) {
        const Size n = Size{level.a.n_rows()} * k_;
        for_rows(backend_, n, streams * n * static_cast<Size>(sizeof(S)), operation);
    }

    B& backend_;
    std::vector<LevelOf>& levels_;
    Index k_;
};

}  // namespace stiefel::amg
