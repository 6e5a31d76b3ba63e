#pragma once

#include "stiefel/core/multivector.hpp"
#include "stiefel/solver/block_cg_run.hpp"
#include "stiefel/solver/block_cg_scaling.hpp"
#include "stiefel/solver/cg.hpp"

#include <string>

namespace stiefel {

/// The most right-hand sides of one block.
inline constexpr Index max_block_columns = max_panel_columns;

namespace detail {

/// Throws OutOfMemory, naming the number of columns that fits, unless that many panels of a run fit into memory; in a
/// world all ranks do, or none.
template <class T, class B>
void require_room_for_block(B& backend, Index n, Index k, Size panels) {
    const Size bytes_a_column = panels * static_cast<Size>(agreed(backend, n)) * static_cast<Size>(sizeof(T));
    const auto available = static_cast<Size>(agreed_least(backend, static_cast<double>(available_bytes(backend))));
    if (bytes_a_column * k <= available) return;
    throw OutOfMemory("block_cg with " + std::to_string(k) + " columns (" +
                          std::to_string(std::max<Size>(0, available / std::max<Size>(1, bytes_a_column))) + " fit)",
                      bytes_a_column * k, available);
}

/// Solves with a loop on x. Columns of b whose squares would leave the range are scaled in `room`, made when needed.
template <class B, class T, class A, class M>
BlockSolveResult solve_block(B& backend, BlockCg<B, T, A, M>& loop, const MultivectorOf<B, T>& b,
                             MultivectorOf<B, T>& x, MultivectorOf<B, T>& room, const CgOptions& options) {
    check_cg_options("block_cg", options);
    if (options.from_zero) fill(backend, T{0}, x.values());
    const BlockCgUnits units(finite_maxima<B, T>(backend, b, "B"));
    finite_maxima<B, T>(backend, x, "X");
    scale_by<B, T>(backend, units.of_guess(), x);
    if (units.all_are_one()) return loop.run(b, units.of_b(), options);
    if (room.values().empty()) room = make_multivector<T>(backend, b.n_rows(), b.n_cols());
    copy(backend, b.values(), room.values());
    scale_by<B, T>(backend, units.of_b(), room);
    BlockSolveResult result = loop.run(room, units.of_b(), options);
    scale_by<B, T>(backend, units.back(), x);
    for (std::size_t j = 0; j < result.columns.size(); ++j) result.columns[j].rhs_norm *= units.back()[j];
    return result;
}

}  // namespace detail

/// Solves A X = B for symmetric positive definite A and k right-hand sides at once: A is read once an iteration for all
/// of them, and each finds its solution in the directions of all, so that fewer iterations are needed than by cg.
/// The method is that of Dubrulle 2001 (BCGrQ, "Retooling the method of block conjugate gradients"): residuals are kept
/// as R = Q sigma with orthonormal Q, which stays stable where columns become dependent. Here Q comes from a Cholesky
/// factorisation with pivoting of W' W, which reveals the rank: dependent directions become columns of zeros. A column
/// that has converged keeps its solution from then on; its directions still serve the others. A preconditioner that is
/// pointwise scales A from both sides; with any other, Q is orthonormal in its inner product, by Cholesky of W' M W
/// (Lowery and Langou 2014; block CG with a preconditioner is O'Leary's, 1980).
///   a  n x n operator in the backend's memory that has spmm      m  see preconditioner/concept.hpp
///   b  n x k, right-hand sides, 1 <= k <= max_block_columns      x  n x k, guesses on entry, solutions on return
/// Options as for cg, for each column by itself; max_iterations counts iterations of the block.
/// Throws InvalidArgument, naming column and argument, on sizes that do not fit or entries of B or X that are not
/// finite, and OutOfMemory, with the number of columns that fit, before the run. Not converging is no error: read the
/// result's reasons. A right-hand side 0 gives x = 0 whatever the guess.
/// A column that the run made worse is put back: see ColumnResult::x_iteration.
/// Memory: three panels of n x k; one more where M is not pointwise, and one for guesses that are not 0, and after a
/// restart if there is room; 4 MiB for what iterations tell of the spectrum (BlockCgRecord). Traffic of
/// an iteration with CSR in double: 12 nnz + 4 n + 96 n k bytes (80 n k where spmm_gram() is one pass), 2 nnz k + 14 n
/// k^2 flops; Jacobi 16 n bytes more.
template <class B, class T, class Memory, class A, class M>
requires PanelOperatorOn<A, B, T> && Preconditioner<M, B, T> BlockSolveResult block_cg(B& backend, const A& a,
                                                                                       const M& m,
                                                                                       const Multivector<T, Memory>& b,
                                                                                       Multivector<T, Memory>& x,
                                                                                       const CgOptions& options = {}) {
    require(b.n_cols() >= 1 && b.n_cols() <= max_block_columns, "block_cg: B must have 1 to 64 columns");
    require(x.n_rows() == b.n_rows() && x.n_cols() == b.n_cols(), "block_cg: X and B differ in size");
    using Loop = detail::BlockCg<B, T, A, M>;
    detail::require_room_for_block<T>(backend, b.n_rows(), b.n_cols(), Loop::panels);
    Loop loop(backend, a, m, x);
    Multivector<T, Memory> room;
    return detail::solve_block(backend, loop, b, x, room, options);
}

/// block_cg without preconditioner.
template <class B, class T, class Memory, class A>
requires PanelOperatorOn<A, B, T> BlockSolveResult block_cg(B& backend, const A& a, const Multivector<T, Memory>& b,
                                                            Multivector<T, Memory>& x, const CgOptions& options = {}) {
    return block_cg(backend, a, Identity{}, b, x, options);
}

}  // namespace stiefel
