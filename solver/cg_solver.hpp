#pragma once

#include "stiefel/solver/cg.hpp"

namespace stiefel {

/// CG for many right-hand sides, one after another, of one operator: keeps its vectors, its plan and, on a device, the
/// captured loop, so that from the second solve on nothing is allocated or captured anew. cg() is its one-shot form.
/// Memory: a vector of n more than cg(), and a copy of x in and out with each solve: on a device the loop is captured
/// with the places of its operands.
/// What was sampled of the kernels' times on a device is of the first solve.
template <class B, class T, OperatorOn<B, T> A, Preconditioner<B, T> M = Identity>
class CgSolver {
public:
    /// n unknowns. backend, a and m must outlive this object. Throws OutOfMemory.
    CgSolver(B& backend, const A& a, const M& m, Size n)
        : backend_(backend), x_(make_vector<T>(backend, n)), loop_(backend, a, m, x_) {}

    Size n() const { return x_.size(); }

    /// As cg().
    SolveResult solve(const VectorOf<B, T>& b, VectorOf<B, T>& x, const CgOptions& options = {}) {
        require(b.size() == n(), "CgSolver: made for another number of unknowns than b has");
        copy(backend_, x, x_);
        SolveResult result = loop_.solve(b, options);
        copy(backend_, x_, x);
        return result;
    }

private:
    B& backend_;
    VectorOf<B, T> x_;
    detail::CgLoop<B, T, A, M> loop_;
};

}  // namespace stiefel
