#pragma once

#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/solver/cg_second_look.hpp"
#include "stiefel/solver/cg_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace stiefel {

/// The power of two that CG's residuals are divided by, so that their squares stay in range whatever the sizes of A and
/// b. It rounds nothing; x keeps its own unit. As a rule |r| begins near 1; after a second look that found A or M too
/// far from 1 for that, near another power of two.
class CgScale {
public:
    double unit() const { return std::ldexp(1.0, exponent_); }

    /// Divides the residual r, of that norm.
    template <class B, class V>
    void begin(B& backend, double residual_norm, V& r) {
        std::frexp(residual_norm, &exponent_);
        exponent_ = std::clamp(exponent_ - lift_, -1020, 1020);
        scale(backend, -exponent_, r);
    }

    /// r in the unit that it had before.
    template <class B, class V>
    void undo(B& backend, V& r) const {
        scale(backend, exponent_, r);
    }

    /// Lets a run begin: its unit, and where it is to end, given in units of b.
    void begin(CgState& state, double target, double limit) const {
        state.x_unit = unit();
        state.target2 = std::pow(std::ldexp(target, -exponent_), 2);
        state.limit2 = std::pow(std::ldexp(limit, -exponent_), 2);
        state.x_is_behind = false;
        state.reason = StopReason::running;
    }

    /// What a run has ended as, in the light of a second look. If that has found another scale, the run is as good as
    /// none; if it has nothing to blame, the recurrence has drifted.
    StopReason take(const CgSecondLook& look) {
        if (!look.finite) return StopReason::not_finite;
        if (look.evidence != Evidence::none) return StopReason::not_positive_definite;
        constexpr int near = 4;
        if (std::abs(look.lift - lift_) <= near || n_changes_ == most_changes) return StopReason::converged;
        lift_ = look.lift;
        ++n_changes_;
        return StopReason::running;
    }

private:
    static constexpr int most_changes = 3;
    int exponent_ = 0;
    int lift_ = 0;
    int n_changes_ = 0;
};

}  // namespace stiefel
