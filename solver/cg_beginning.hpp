#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/solver/cg_gate.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <cmath>
#include <limits>

namespace stiefel {

/// The x that a run of CG began from and its true residual, so that a run that made things worse can be undone. Zeros
/// need no memory, another x needs n words; where there are none left, what was kept before stays.
template <class B, class T>
class CgBeginning {
public:
    using V = VectorOf<B, T>;

    void keep(B& backend, const V& x, bool is_zero, double residual_norm, Size iteration) {
        if (is_zero) {
            was_zero_ = true;
        } else {
            if (!has_room_ && !makes_room(backend, x.size())) return;
            copy(backend, x, x_);
            was_zero_ = false;
        }
        residual_norm_ = residual_norm;
        iteration_ = iteration;
    }

    /// Whether x had better be what it was before the run that ended so.
    bool is_better_than(const SolveResult& ended) const {
        const double residual_norm = ended.relative_residual * ended.rhs_norm;
        if (is_first() || (std::isfinite(residual_norm) && cg_trusts_last(ended.reason))) return false;
        return !(residual_norm <= residual_norm_);
    }

    void restore(B& backend, V& x, SolveResult& result) const {
        if (was_zero_) {
            fill(backend, T{0}, x);
        } else {
            copy(backend, x_, x);
        }
        result.relative_residual = residual_norm_ / result.rhs_norm;
        result.x_iteration = iteration_;
    }

    /// For another run; its memory stays.
    void forget() {
        residual_norm_ = std::numeric_limits<double>::infinity();
        iteration_ = -1;
    }

    bool is_first() const { return iteration_ < 0; }

private:
    /// A guess must be kept; later an answer is at hand that must not be lost for want of memory.
    bool makes_room(B& backend, Size n) {
        bool has_none = false;
        try {
            x_ = make_vector<T>(backend, n);
        } catch (const OutOfMemory&) {
            if (is_first()) throw;
            has_none = true;
        }
        has_room_ = agreed(backend, has_none) == 0;
        if (!has_room_) x_ = {};
        return has_room_;
    }

    V x_;
    bool has_room_ = false;
    bool was_zero_ = false;
    double residual_norm_ = std::numeric_limits<double>::infinity();
    Size iteration_ = -1;
};

}  // namespace stiefel
