#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/solve/column_results.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/unscaled_solve.hpp"
#include "stiefel/cli/terminal/progress_bar.hpp"
#include "stiefel/core/agreement.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/dense/transpose.hpp"
#include "stiefel/solver/block_cg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace stiefel::cli {

/// Right-hand sides and guesses in host memory, column after column, as array files hold them.
template <class T>
struct HostColumns {
    Size n = 0;
    Index k = 0;
    HostVector<T> b = {};
    HostVector<T> guess = {};  ///< empty: zeros
    double matrix_norm = 0;    ///< see CgOptions
    HostVector<T> scale = {};  ///< D where this is D A D y = D b, see scaling.hpp; empty: it is A x = b
    double unscaled_norm = 0;  ///< |A| then
};

/// Solves for the columns of a system in either way, until it is asked to stop. The first solve is begun even so, and
/// ends by itself at once: then it is known what the guess is worth.
template <class T, class B, class A, class P>
class ColumnSolver {
public:
    ColumnSolver(B& backend, const A& a, P& preconditioning, const HostColumns<T>& system, const SolveOptions& options,
                 StatusLine& status)
        : backend_(backend),
          a_(a),
          preconditioning_(preconditioning),
          system_(system),
          options_(options),
          status_(status) {}

    /// `running` as long as nobody wants it to end.
    /// All ranks are asked at once.
    StopReason asked_to_stop() const {
        StopReason here = remaining_seconds() > 0 ? StopReason::running : StopReason::time_limit;
        if (InterruptGuard::requested()) here = StopReason::interrupted;
        return static_cast<StopReason>(static_cast<int>(agreed(backend_, static_cast<double>(here))));
    }

    bool is_one_of_several() const { return has_world(backend_); }

    /// One column after another.
    void one_by_one(HostVector<T>& x, SolveReport& report) {
        for (Index j = 0; j < system_.k && goes_on(j); ++j) {
            const auto b = brought(system_.b, j, 1, report);
            auto y = first_guess(j, 1, report);
            CgHandover<B, T> handover;
            solve_with_changes(
                target(b), j, report,
                [&](const auto& m, const CgOptions& how) { return cg<B, T>(backend_, a_, m, b, y, how, &handover); },
                [&] {
                    auto r = make_vector<T>(backend_, b.size());
                    residual(backend_, a_, b, y, r);
                    return HostPair{on_host(r), on_host(y)};
                });
            take_back(y, j, 1, x, report);
        }
    }

    /// Blocks of at most options.block columns.
    void in_blocks(HostVector<T>& x, SolveReport& report) {
        const auto block = static_cast<Index>(options_.block);
        for (Index j = 0; j < system_.k && goes_on(j); j += block) {
            const Index count = std::min(block, system_.k - j);
            const auto b = panel_of(brought(system_.b, j, count, report), count);
            auto y = system_.guess.empty() ? make_multivector<T>(backend_, rows(), count)
                                           : panel_of(first_guess(j, count, report), count);
            solve_with_changes(
                options_.rtol, j, report,
                [&](const auto& m, const CgOptions& how) { return block_cg(backend_, a_, m, b, y, how); },
                [&] {
                    auto r = make_multivector<T>(backend_, rows(), count);
                    copy(backend_, b.values(), r.values());
                    spmm(backend_, a_, std::as_const(y).view(), r.view(), T{-1}, T{1});
                    return HostPair{on_host(columns_of(r)), on_host(columns_of(y))};
                });
            take_back(columns_of(y), j, count, x, report);
        }
    }

private:
    using HostPair = ResidualAndY<T>;

    bool goes_on(Index column) const { return column == 0 || asked_to_stop() == StopReason::running; }
    double remaining_seconds() const { return std::max(0.0, options_.time_limit - since_start_.seconds()); }
    Index rows() const { return static_cast<Index>(system_.n); }

    /// Moves data between host and backend, and takes the time that it needs where these are two.
    template <class F>
    void move_data(double& seconds, F&& move) {
        const Stopwatch watch;
        move();
        if constexpr (!HostBackend<B>) {
            backend_.synchronize();
            seconds += watch.seconds();
        }
    }

    /// Columns of the host as they lie, in the backend's memory. Devices of several ranks go on together: what one
    /// waits for another's columns is no part of the solve.
    VectorOf<B, T> brought(const HostVector<T>& columns, Index first, Index count, SolveReport& report) {
        auto vector = make_vector<T>(backend_, system_.n * count);
        move_data(report.seconds.upload, [&] {
            if (vector.size() == columns.size()) {
                upload(backend_, columns, vector);
            } else {
                HostVector<T> part(vector.size());
                std::copy_n(columns.data() + system_.n * first, part.size(), part.data());
                upload(backend_, part, vector);
            }
            if constexpr (!HostBackend<B>) agreed(backend_, 0);
        });
        return vector;
    }

    /// Without a guess nobody reads it: the solver begins at zeros.
    VectorOf<B, T> first_guess(Index first, Index count, SolveReport& report) {
        if (!system_.guess.empty()) return brought(system_.guess, first, count, report);
        return make_vector<T>(backend_, system_.n * count);
    }

    void take_back(const VectorOf<B, T>& columns, Index first, Index count, HostVector<T>& x, SolveReport& report) {
        move_data(report.seconds.download, [&] {
            if (columns.size() == x.size()) return download(backend_, columns, x);
            HostVector<T> part(system_.n * count);
            download(backend_, columns, part);
            std::copy_n(part.data(), part.size(), x.data() + system_.n * first);
        });
    }

    /// Columns as a panel: as they lie they are its transpose.
    MultivectorOf<B, T> panel_of(const VectorOf<B, T>& columns, Index count) {
        auto panel = make_multivector<T>(backend_, rows(), count);
        transpose<T>(backend_, as_matrix(columns, count, rows()), panel.view());
        return panel;
    }

    /// What panel_of() made of columns.
    VectorOf<B, T> columns_of(const MultivectorOf<B, T>& panel) {
        auto columns = make_vector<T>(backend_, system_.n * panel.n_cols());
        transpose<T>(backend_, panel.view(), as_matrix(columns, panel.n_cols(), rows()));
        return columns;
    }

    HostVector<T> on_host(const VectorOf<B, T>& columns) {
        HostVector<T> host(columns.size());
        download(backend_, columns, host);
        return host;
    }

    /// The relative residual at which a solve for b ends.
    double target(const VectorOf<B, T>& b) {
        if (options_.atol == 0) return options_.rtol;
        const double rhs_norm = norm(backend_, b);
        return rhs_norm > 0 ? std::max(options_.rtol, options_.atol / rhs_norm) : 0;
    }

    /// Runs of `solve` until one has not ended for another preconditioner to go on. Of a scaled system also until the
    /// residual of A x = b is what was asked for: `looked_at` gives what there is of y, from column `first` on.
    template <class F, class G>
    void solve_with_changes(double target, Index first, SolveReport& report, F&& solve, G&& looked_at) {
        std::optional<UnscaledSolve<T>> of_file;
        if (!system_.scale.empty()) {
            of_file.emplace(system_.scale, system_.unscaled_norm, options_.rtol, options_.atol);
            target = of_file->begin(system_.b, first, report.method.solver == "cg" ? 1 : options_.block);
        }
        preconditioning_.begin(target, report.method.max_iterations);
        bool goes_on = false;
        for (Size iterations = 0;;) {
            if (report.runs.empty() || report.runs.back().preconditioner != preconditioning_.name()) {
                begin_run(preconditioning_.name(), report);
            }
            const Size left = std::max<Size>(0, report.method.max_iterations - iterations);
            ProgressBar bar(status_, target, left, remaining_seconds());
            const auto known = static_cast<Size>(report.result.history.size());
            if (!goes_on) report.marks.begin_solve(known);
            // Where a run goes on after another, its first residual is the last of that one.
            CgOptions how = watched(left, goes_on ? known - 1 : known, bar, report.marks);
            how.from_zero = !goes_on && system_.guess.empty();
            if (of_file) how.rtol = target;
            if (of_file) how.atol = 0;
            const Stopwatch watch;
            auto result = std::visit([&](const auto& m) { return solve(m, how); }, preconditioning_.now());
            // With what the solver makes before its loop.
            result.seconds = watch.seconds() - sampling_seconds(result);
            add_run(result, goes_on, report);
            if (!changed(result.reason, result.evidence, report)) {
                const auto tighter = of_file ? of_file->look(looked_at(), result) : std::nullopt;
                if (!tighter) {
                    if (of_file) report.scaled_solves_continued += of_file->n_continued();
                    return add_columns(result, iterations, report);
                }
                target = *tighter;
            }
            iterations += result.iterations;
            goes_on = true;
        }
    }

    /// Of any rank.
    bool is_asked_to_end() const { return agreed(backend_, InterruptGuard::requested() ? 1 : 0) != 0; }

    /// Whether another preconditioner is to go on; making it ready is part of the set-up.
    bool changed(StopReason reason, Evidence evidence, SolveReport& report) {
        const Stopwatch watch;
        if (reason == StopReason::interrupted && !InterruptGuard::requested()) {
            status_.show(fmt::format("setting up {}", preconditioning_.next_name()));
        }
        const bool another = preconditioning_.changes(reason, evidence);
        // Of a run that was handed over nobody knows what x is worth: the next one says so, however soon it ends.
        const bool is_handed_over = std::exchange(is_handed_over_, false);
        const bool changes = another && (is_handed_over || !is_asked_to_end());
        status_.clear();
        report.seconds.setup += watch.seconds();
        return changes;
    }

    /// Options of one run that show its progress and end it when it is asked to stop.
    CgOptions watched(Size max_iterations, Size history_begin, ProgressBar& bar, IterationMarks& marks) {
        return {.rtol = options_.rtol,
                .atol = options_.atol,
                .max_iterations = max_iterations,
                .history = options_.wants_history(),
                .monitor =
                    [&, history_begin](const CgProgress& progress) {
                        bar.update(progress.iteration, progress.relative_residual);
                        marks.add(history_begin + progress.iteration, since_start_.seconds());
                        if (options_.monitor &&
                            !options_.monitor(history_begin + progress.iteration, progress.relative_residual)) {
                            return false;
                        }
                        return !preconditioning_.gives_way(progress.iteration, progress.relative_residual) &&
                               !InterruptGuard::requested();
                    },
                .pauses = preconditioning_.pauses(),
                .is_followed =
                    [this] {
                        is_handed_over_ = preconditioning_.is_giving_way() && !is_asked_to_end();
                        return is_handed_over_;
                    },
                .time_limit = remaining_seconds(),
                .matrix_norm = system_.matrix_norm};
    }

    B& backend_;
    const A& a_;
    P& preconditioning_;
    const HostColumns<T>& system_;
    const SolveOptions& options_;
    StatusLine& status_;
    Stopwatch since_start_ = {};
    bool is_handed_over_ = false;  // the run that has ended, to the next
};

/// Gives the columns of x that were not begun their guess.
template <class T>
void guess_the_rest(const HostColumns<T>& system, const SolveReport& report, HostVector<T>& x) {
    for (Size j = 0; j < system.k; ++j) {
        if (report.columns[static_cast<std::size_t>(j)].is_begun()) continue;
        T* const column = x.data() + system.n * j;
        if (system.guess.empty()) std::fill_n(column, system.n, T{0});
        if (!system.guess.empty()) std::copy_n(system.guess.data() + system.n * j, system.n, column);
    }
}

/// Solves again, one column after another, and compares; a note says why if that cannot be.
template <class T, class Solver>
void compare_one_by_one(Solver& solver, const HostColumns<T>& system, SolveReport& report) {
    const auto why_stopped = [&] {
        const StopReason why = solver.asked_to_stop();
        return why == StopReason::running ? "" : std::string(to_string(why));
    };
    std::string why_not = report.fault ? report.fault->message : why_stopped();
    SolveReport other;
    other.method = report.method;
    const Stopwatch watch;
    if (why_not.empty()) {
        try {
            HostVector<T> x(system.n * system.k);
            solver.one_by_one(x, other);
            why_not = why_stopped();
        } catch (const std::exception& problem) {
            if (solver.is_one_of_several()) throw;
            why_not = message_of(problem);
        }
    }
    if (!why_not.empty()) {
        report.notes.push_back(
            fmt::format("--solver both: blocks and one column after another are not compared: {}", why_not));
        return;
    }
    report.seconds.compare = watch.seconds();
    end_columns(system.k, StopReason::running, other);
    report.one_by_one = {.iterations = other.result.iterations,
                         .relative_residual = other.result.relative_residual,
                         .seconds = other.result.seconds};
}

/// Solves in the way that the options ask for, from the guesses to x; with `both`, x and the report are those of the
/// blocks. Whatever goes wrong on the way becomes the report's fault, and x holds what there was until then; on several
/// ranks it is thrown, as others may wait for this one.
/// preconditioning: as Preconditioning.
template <class T, class B, class A, class P>
void solve_columns(B& backend, const A& a, P& preconditioning, const HostColumns<T>& system, HostVector<T>& x,
                   const SolveOptions& options, SolveReport& report, StatusLine& status) {
    ColumnSolver<T, B, A, P> solver(backend, a, preconditioning, system, options, status);
    try {
        options.solver == SolverWord::cg ? solver.one_by_one(x, report) : solver.in_blocks(x, report);
    } catch (const std::exception& problem) {
        if (has_world(backend)) throw;
        report.fault = fault_of(problem);
    }
    end_columns(system.k, report.fault ? StopReason::running : solver.asked_to_stop(), report);
    guess_the_rest(system, report, x);
    if (options.solver == SolverWord::both) compare_one_by_one(solver, system, report);
}

}  // namespace stiefel::cli
