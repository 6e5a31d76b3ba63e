#pragma once

#include "stiefel/solver/block_cg.hpp"

namespace stiefel {

/// Block CG for many blocks of right-hand sides of one operator: keeps its panels, its plan and, on a device, the
/// captured loop, so that from the second solve on no panel is allocated and nothing captured anew. block_cg() is its
/// one-shot form.
/// Memory: a panel more than block_cg(), and a copy of X in and out with each solve: on a device the loop is captured
/// with the places of its operands.
/// What was sampled of the kernels' times on a device is of the first solve.
template <class B, class T, PanelOperatorOn<B, T> A, Preconditioner<B, T> M = Identity>
class BlockCgSolver {
public:
    using Panel = MultivectorOf<B, T>;

    /// n unknowns, blocks of `columns` right-hand sides. backend, a and m must outlive this object. Throws
    /// InvalidArgument for another number of columns than block_cg() takes, and OutOfMemory as it does.
    BlockCgSolver(B& backend, const A& a, const M& m, Index n, Index columns)
        : backend_(backend), x_(made(backend, n, columns)), loop_(backend, a, m, x_) {}

    Index n() const { return x_.n_rows(); }
    Index columns() const { return x_.n_cols(); }

    /// As block_cg().
    BlockSolveResult solve(const Panel& b, Panel& x, const CgOptions& options = {}) {
        require(b.n_rows() == n() && b.n_cols() == columns(), "BlockCgSolver: made for panels of another size than B");
        require(x.n_rows() == n() && x.n_cols() == columns(), "BlockCgSolver: X and B differ in size");
        copy(backend_, x.values(), x_.values());
        BlockSolveResult result = detail::solve_block(backend_, loop_, b, x_, room_, options);
        copy(backend_, x_.values(), x.values());
        return result;
    }

private:
    using Loop = detail::BlockCg<B, T, A, M>;

    static Panel made(B& backend, Index n, Index columns) {
        require(columns >= 1 && columns <= max_block_columns, "BlockCgSolver: there must be 1 to 64 columns");
        detail::require_room_for_block<T>(backend, n, columns, 1 + Loop::panels);
        return make_multivector<T>(backend, n, columns);
    }

    B& backend_;
    Panel x_;
    Loop loop_;
    Panel room_;  // for B where it must be scaled
};

}  // namespace stiefel
