#pragma once

#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/solver/block_iteration.hpp"

namespace stiefel {

namespace detail {

/// W = 2^exponent M R, for R and a span that are of A divided by 2^exponent while M is near to the inverse of A itself.
/// R is scratch. Half of the power of two goes before M, half after, so that M R stays in range.
template <class B, class T, class M>
void precondition_scaled(B& backend, const M& m, MatrixOf<B, T> r, MatrixOf<B, T> w, const RitzSpan& span,
                         int exponent) {
    if (exponent == 0 || std::is_same_v<M, Identity>) return apply_preconditioner<B, M, T>(backend, m, r, w, span);
    const int before = exponent / 2;
    const RitzSpan of_a{std::ldexp(span.first, exponent), std::ldexp(span.last, exponent)};
    assign_panel<B, T>(backend, std::ldexp(T{1}, before), r, r);
    apply_preconditioner<B, M, T>(backend, m, r, w, of_a);
    assign_panel<B, T>(backend, std::ldexp(T{1}, exponent - before), w, w);
}

}  // namespace detail

/// Finds eigenpairs at one end of the spectrum of a symmetric matrix, definite or not, by the locally optimal block
/// preconditioned conjugate gradient method (Knyazev 2001), with the orthonormal basis that keeps it stable (Hetmaniuk
/// and Lehoucq 2006; Duersch, Shao, Yang and Gu 2018): each iteration takes the best of span{X, M R, P}, R the
/// residuals and P the last step. Pairs that have converged stay in the basis without directions of their own (soft
/// locking).
///   a  n x n operator in the backend's memory, with spmm()    m  symmetric positive definite: Identity, Jacobi,
///   ShiftedChebyshev, one of preconditioner/list.hpp, or anything with precondition() (preconditioner/concept.hpp)
///   x  n x k, 1 <= k <= min(n, 64): start vectors on entry (random_multivector makes some), eigenvectors on return,
///      orthonormal. Columns that depend on others are replaced by random ones.
/// which: smallest or largest. max_iterations: 2000 unless given. Not converging is no error: read the result's reason.
/// A matrix of at most 192 rows is solved at once by a dense method (whole_space.hpp).
/// Throws InvalidArgument for k, rtol or a start block (with its column) that cannot be; OutOfMemory before the run,
/// with the k that fits. Deterministic: on the host to the bit for any number of threads.
/// Memory: 13 vectors of n for each of the k + guard columns, and what M holds. Traffic of an iteration with b columns,
/// beside A's and M's: about 33 n b T bytes.
template <class B, class T, PanelOperatorOn<B, T> A, class M>
EigenResult lobpcg(B& backend, const A& a, const M& m, MultivectorOf<B, T>& x, const EigenOptions& options = {}) {
    require(options.which != EigenEnd::magnitude, "lobpcg: the end must be smallest or largest");
    const auto step = [&](auto& basis, const auto& report, const ColumnList& active, const SpectrumBounds&) {
        basis.keep_residuals(active);
        basis.time_preconditioner(preconditioner_work(m, active.count), [&] {
            detail::precondition_scaled<B, T>(backend, m, basis.r(active.count), basis.w(active.count),
                                              {report.values.front(), report.values.back()}, basis.exponent());
        });
        basis.orthonormalise_w(active.count);
        basis.multiply_w(active.count);
        basis.project_w(active.count);
        basis.rayleigh_ritz(active.count, active);
    };
    return block_iteration<B, T, A>(backend, "lobpcg", a, x, options, 2000, 3, step, vectors_per_column_of<M>());
}

/// lobpcg without preconditioner.
template <class B, class T, PanelOperatorOn<B, T> A>
EigenResult lobpcg(B& backend, const A& a, MultivectorOf<B, T>& x, const EigenOptions& options = {}) {
    return lobpcg<B, T, A, Identity>(backend, a, Identity{}, x, options);
}

}  // namespace stiefel
