#pragma once

#include "stiefel/analysis/matrix_facts.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/slow_by_couplings.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/suitability.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/cli/try_diagnosis.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/spmv/symmetric_permutation.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace stiefel::cli {

inline constexpr std::string_view cg_needs = "conjugate gradients need";

/// A system as its files hold it; b is divided by 2^matrix.exponent as the matrix is, which leaves x as it is.
template <class T>
struct SystemFiles {
    MatrixSource<T> matrix = {};
    Index n_columns = 1;       ///< of b, and of the guess
    HostVector<T> b = {};      ///< column after column; empty if it is to be A times ones
    HostVector<T> guess = {};  ///< column after column; empty if it is zeros
    DenseArray<double> coordinates = {};
};

/// Reads what the options name. Adds to the report's times. Throws what the reader throws, and
/// UnsuitableInput.
template <class T>
SystemFiles<T> read_system(OpenMP& host, const SolveOptions& options, SolveReport& report, StatusLine& status);

/// Element i of column j of --rhs random.
double random_element(Size i, Index j);

/// The right-hand sides, or nothing if they are A times ones. Throws what the reader throws.
DenseArray<double> right_hand_sides(const SolveOptions& options, Index n, int threads);

/// As many first guesses, column after column; none where none was given. Throws what the reader throws, and
/// UnsuitableInput.
template <class T>
HostVector<T> guesses(const SolveOptions& options, Index n, Index n_columns, int threads);

/// A system that conjugate gradients can be asked to solve, the matrix where it will be multiplied.
template <class T, class Memory>
struct SystemInput {
    Csr<T, Memory> a = {};
    RowStatistics rows = {};                         ///< of a
    std::optional<CouplingStrength> couplings = {};  ///< where they may decide at once: may_decide_at_once()
    double norm = 0;                                 ///< infinity_norm of a; 0 where it is not a number
    double unscaled_norm = 0;                        ///< of A where a is D A D; likewise
    int exponent = 0;                                ///< a and b are what was read, divided by 2^exponent
    Index n_columns = 1;
    HostVector<T> b = {};
    HostVector<T> guess = {};
    DenseArray<double> coordinates = {};  ///< of nodes; empty if they are not told
    HostVector<Index> order = {};         ///< row k is row order[k] of the file; empty if they are the same
    HostVector<T> scale = {};             ///< D where a is D A D, b is D b and the guess D^-1 x; empty: there is none
    PreconditionerChoice preconditioner = {};
};

inline double finite_or_zero(double norm) {
    return std::isfinite(norm) ? norm : 0;
}

/// Says so where D b left the range.
void check_scaled_rhs(bool is_exact, const SolveOptions& options);

/// "the diagonal, from 1.2e-12 to 9.9e+11, is from 0.5 to 2 then".
std::string what_scaling_did(const DiagonalEntries& before, const DiagonalEntries& after, int exponent);

/// Makes it D A D y = D b; what a device has, by the host's memory and its cores. before: the diagonal of A, positive.
template <class T, class B>
void scale(B& backend, OpenMP& host, SystemInput<T, typename B::memory>& system, const DiagonalEntries& before,
           const SolveOptions& options, SolveReport& report) {
    if (options.scale == ScaleWord::none) return;
    const auto scale_on_host = [&](HostCsr<T>& a) {
        system.scale = diagonal_scale(a);
        scale_symmetrically(host, system.scale, a);
    };
    if constexpr (HostBackend<B>) {
        scale_on_host(system.a);
    } else {
        HostCsr<T> a = to_host(backend, system.a);
        scale_on_host(a);
        system.a = to_device(backend, a);
    }
    auto& maker = matrix_maker(backend, host);
    const MatrixFacts after = matrix_facts(maker, system.a);
    report.method.scale = word_of<ScaleWord>(options.scale, scale_choices);
    report.method.scale_reason = what_scaling_did(before, after.diagonal, system.exponent);
    system.preconditioner = check_diagonal(after.diagonal, system.a.n_rows, options.matrix, options.preconditioner);
    system.unscaled_norm = std::exchange(system.norm, finite_or_zero(after.norm));
    check_scaled_rhs(multiply_by(system.scale, system.b), options);
    divide_by(system.scale, system.guess);
}

/// Puts the system into the order that the options ask for; what a device has, by the host's memory and its cores.
template <class T, class B>
void reorder(B& backend, OpenMP& host, SystemInput<T, typename B::memory>& system, const SolveOptions& options,
             SolveReport& report) {
    const bool is_automatic = options.reorder == ReorderWord::automatic;
    if (is_automatic && (!HostBackend<B> || !system.coordinates.values.empty())) return;
    if (options.reorder == ReorderWord::none) return;
    const auto in_order = [&](const HostCsr<T>& a) {
        Reordering found = find_order(a, options.reorder, static_cast<Index>(options.amg.block_size));
        report.method.reorder = word_of<ReorderWord>(found.taken, reorder_choices);
        report.method.reorder_reason = std::move(found.reason);
        system.order = std::move(found.order);
        return system.order.empty() ? HostCsr<T>{} : permuted(host, a, system.order);
    };
    if constexpr (HostBackend<B>) {
        HostCsr<T> a = in_order(system.a);
        if (!system.order.empty()) system.a = std::move(a);
    } else {
        const HostCsr<T> a = in_order(to_host(backend, system.a));
        if (!system.order.empty()) system.a = to_device(backend, a);
    }
    if (system.order.empty()) return;
    system.b = permuted(system.b, system.order);
    system.guess = permuted(system.guess, system.order);
    system.scale = permuted(system.scale, system.order);
}

/// Makes the matrix and checks it. Fills in the report's matrix, notes and times. Throws UnsuitableInput and
/// NotPositiveDefinite.
template <class T, class B>
SystemInput<T, typename B::memory> make_system(B& backend, OpenMP& host, SystemFiles<T> files,
                                               const SolveOptions& options, SolveReport& report, StatusLine& status) {
    auto& maker = matrix_maker(backend, host);
    const int exponent = files.matrix.exponent;
    SystemInput<T, typename B::memory> system{
        .a = symmetric_csr(maker, host, std::move(files.matrix), options.matrix, cg_needs, report.matrix,
                           report.seconds, report.notes, status),
        .exponent = exponent,
        .n_columns = files.n_columns,
        .b = std::move(files.b),
        .guess = std::move(files.guess),
        .coordinates = std::move(files.coordinates)};
    if (!options.report.empty()) try_diagnosis(maker, host, system.a, exponent, report);
    const Stopwatch watch;
    const bool with_couplings =
        may_decide_at_once(options, HostBackend<B>, system.a.n_rows, system.a.nnz(), system.n_columns);
    const MatrixFacts facts = matrix_facts(maker, system.a, with_couplings);
    system.preconditioner = check_diagonal(facts.diagonal, system.a.n_rows, options.matrix, options.preconditioner);
    system.rows = facts.rows;
    system.couplings = facts.couplings;
    system.norm = finite_or_zero(facts.norm);
    scale(backend, host, system, facts.diagonal, options, report);
    reorder(backend, host, system, options, report);
    report.seconds.setup += watch.seconds();
    return system;
}

}  // namespace stiefel::cli
