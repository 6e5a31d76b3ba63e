#pragma once

#include "stiefel/solver/cg_loop.hpp"

namespace stiefel {

/// Solves A x = b for symmetric positive definite A by preconditioned conjugate gradients (Hestenes and Stiefel 1952).
///   a  n x n operator in the backend's memory (see operator.hpp)      m  see preconditioner/concept.hpp
///   b  n, right-hand side                                             x  n, guess on entry, solution on return
/// Throws InvalidArgument on a size mismatch or options that make no sense. Not converging is no error: read the
/// result's reason. The right-hand side 0 gives x = 0 in no iterations, whatever the guess. A run that made x worse is
/// undone: see SolveResult::x_iteration.
///   handover  a run that goes on from another takes what that has left there, one that is followed leaves it there
/// Memory: three vectors of n; one more where M is not pointwise; and one for a guess that is not 0, and after a
/// restart if there is room; 2 MiB for coefficients. Traffic of an iteration with CSR in double: 12 nnz + 84 n bytes,
/// Jacobi 16 n more; M that is not pointwise 16 n and its own.
template <class B, class T, OperatorOn<B, T> A, Preconditioner<B, T> M>
SolveResult cg(B& backend, const A& a, const M& m, const VectorOf<B, T>& b, VectorOf<B, T>& x,
               const CgOptions& options = {}, CgHandover<B, T>* handover = nullptr) {
    return detail::CgLoop<B, T, A, M>(backend, a, m, x, handover).solve(b, options);
}

/// cg without preconditioner.
template <class B, class T, OperatorOn<B, T> A>
SolveResult cg(B& backend, const A& a, const VectorOf<B, T>& b, VectorOf<B, T>& x, const CgOptions& options = {}) {
    return cg<B, T, A, Identity>(backend, a, Identity{}, b, x, options);
}

}  // namespace stiefel
