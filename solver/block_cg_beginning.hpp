#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/solver/block_cg_scaling.hpp"
#include "stiefel/solver/block_solve_result.hpp"
#include "stiefel/solver/cg_gate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stiefel::detail {

/// The X that a run of block CG began from and its true residuals: see CgBeginning. Zeros need no memory.
template <class B, class T>
class BlockCgBeginning {
public:
    using X = MultivectorOf<B, T>;

    void keep(B& backend, const X& x, std::vector<double> relative_residuals, Size iteration) {
        if (is_first() && max_abs(backend, x.values()) == 0) {
            was_zero_ = true;
        } else {
            if (!has_room_ && !makes_room(backend, x)) return;
            copy(backend, x.values(), x_.values());
            was_zero_ = false;
        }
        relative_residuals_ = std::move(relative_residuals);
        iteration_ = iteration;
    }

    /// Puts back the columns that have ended and had better be what they were. Uses up what is kept of them.
    void restore_better(B& backend, X& x, std::vector<ColumnResult>& columns) {
        std::vector<double> stays, returns;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const bool better = is_better_than(columns[j], j);
            stays.push_back(better ? 0 : 1);
            returns.push_back(better ? 1 : 0);
            if (!better) continue;
            columns[j].relative_residual = relative_residuals_[j];
            columns[j].x_iteration = iteration_;
        }
        if (std::find(returns.begin(), returns.end(), 1.0) == returns.end()) return;
        scale_by<B, T>(backend, stays, x);  // a factor 0 leaves nothing of a NaN
        if (was_zero_) return;
        scale_by<B, T>(backend, returns, x_);
        const Index k = x.n_cols();
        HostVector<double> identity(Size{k} * k, 0.0);
        for (Index j = 0; j < k; ++j) identity[Size{j} * k + j] = 1;
        auto matrix = make_vector<double>(backend, identity.size());
        upload(backend, identity, matrix);
        panel_update(backend, 1.0, std::as_const(x_).view(), as_matrix(std::as_const(matrix), k, k), 1.0, x.view());
    }

    /// For another run; its memory stays.
    void forget() { iteration_ = -1; }

    bool is_first() const { return iteration_ < 0; }

private:
    bool is_better_than(const ColumnResult& ended, std::size_t j) const {
        if (is_first() || ended.reason == StopReason::running) return false;
        if (std::isfinite(ended.relative_residual) && cg_trusts_last(ended.reason)) return false;
        return !(ended.relative_residual <= relative_residuals_[j]);
    }

    bool makes_room(B& backend, const X& x) {
        bool has_none = false;
        try {
            x_ = make_multivector<T>(backend, x.n_rows(), x.n_cols());
        } catch (const OutOfMemory&) {
            if (is_first()) throw;
            has_none = true;
        }
        has_room_ = agreed(backend, has_none) == 0;
        if (!has_room_) x_ = {};
        return has_room_;
    }

    X x_;
    std::vector<double> relative_residuals_;
    Size iteration_ = -1;
    bool has_room_ = false;
    bool was_zero_ = true;
};

}  // namespace stiefel::detail
