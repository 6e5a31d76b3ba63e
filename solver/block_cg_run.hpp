#pragma once

#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/preconditioner/spectrum_bounds.hpp"
#include "stiefel/solver/ask_outside.hpp"
#include "stiefel/solver/block_cg_beginning.hpp"
#include "stiefel/solver/block_cg_kernels.hpp"
#include "stiefel/solver/block_cg_second_look.hpp"
#include "stiefel/solver/block_cg_spectrum.hpp"
#include "stiefel/solver/block_cg_storage.hpp"
#include "stiefel/solver/block_solve_result.hpp"
#include "stiefel/solver/cg_gate.hpp"
#include "stiefel/solver/cg_options.hpp"
#include "stiefel/solver/repeat.hpp"
#include "stiefel/solver/spmm_gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace stiefel::detail {

/// Block CG for one operator, one preconditioner and one place of X: the panels it works in and its recorded iteration,
/// which serve any number of runs.
template <class B, class T, class A, class M>
class BlockCg {
public:
    /// Panels as large as x, beside those of B and X.
    static constexpr Size panels = Pointwise<M, T> ? 3 : 4;

    BlockCg(B& backend, const A& a, const M& m, MultivectorOf<B, T>& x)
        : backend_(backend),
          a_(a),
          m_(m),
          x_(x),
          k_(x.n_cols()),
          w_(make_multivector<T>(backend, x.n_rows(), k_)),
          s_(make_multivector<T>(backend, x.n_rows(), k_)),
          as_(make_multivector<T>(backend, x.n_rows(), k_)),
          v_(make_multivector<T>(backend, x.n_rows(), is_pointwise ? 0 : k_)),
          storage_(backend, k_),
          spectrum_(backend, k_),
          small_(storage_.matrices(!std::is_same_v<M, Identity>, spectrum_.record())),
          state_(make_vector<CgState>(backend, 1)),
          columns_(k_),
          clock_(backend, kernels()),
          iteration_(backend.record(Iteration{this}, step_length_with<T>(backend, m))) {}
    BlockCg(const BlockCg&) = delete;
    BlockCg& operator=(const BlockCg&) = delete;

    /// From the guesses in X. units: what to multiply atol with, for each column.
    BlockSolveResult run(const MultivectorOf<B, T>& b, const std::vector<double>& units, const CgOptions& options) {
        b_ = &b;
        options_ = &options;
        forget();
        begin_columns(column_norms<B, T>(backend_, b), units);
        CgState scalars{.max_iterations = options.iterations_allowed(rows_of_all(backend_, b.n_rows()))};
        for (;;) {
            begin_sweeps(backend_);
            const bool first = beginning_.is_first();
            take_true_residuals(scalars, first);
            if (first) end_all_as(on_iteration(0, worst_relative2()));
            beginning_.restore_better(backend_, x_, result_.columns);
            if (!any_running()) break;
            if (!first) ++result_.restarts;
            beginning_.keep(backend_, x_, relative_residuals(), scalars.iteration);
            scalars.reason = StopReason::running;
            scalars.x_is_behind = false;
            start(scalars);
            const Size begin = scalars.iteration;
            scalars = repeat(backend_, iteration_, state_, begin, options.pauses,
                             [this](Size iteration, double relative2) { return on_iteration(iteration, relative2); });
            result_.ritz = joined(result_.ritz, spectrum_.of(backend_, begin, scalars.iteration));
            if (scalars.x_is_behind) {
                panel_update(backend_, 1.0, std::as_const(s_).view(), matrix(small_.step), 1.0, x_.view());
            }
            download(backend_, storage_.columns(), columns_);
            if (scalars.reason == StopReason::not_positive_definite) scalars.reason = judged(scalars);
        }
        judge();
        result_.seconds = watch_.seconds();
        result_.iterations = scalars.iteration;
        result_.kernels = clock_.kernels();
        return finish();
    }

private:
    static constexpr bool is_pointwise = Pointwise<M, T>;

    struct Iteration {
        BlockCg* loop;
        void operator()() const { loop->step(); }
    };

    /// All of the run before.
    void forget() {
        result_ = {};
        previous_norms_.clear();
        beginning_.forget();
        evidence_ = Evidence::none;
        clock_.forget();
        watch_.restart();
    }

    std::vector<KernelTime> kernels() const {
        const Size n = x_.n_rows();
        std::vector<KernelTime> all = spmm_gram_laps<T>(backend_, a_, x_.n_rows(), k_);
        all.push_back({.name = "block_cg_step"});
        all.push_back({.name = "block_cg_residual", .work = block_cg_residual_work<T>(n, k_, m_)});
        if constexpr (!is_pointwise) {
            all.push_back({.name = "precondition", .work = preconditioner_work(m_, k_)});
            all.push_back({.name = "gram", .work = gram_work<T>(x_.n_rows(), k_, k_, false)});
        }
        all.push_back({.name = "block_cg_basis"});
        all.push_back({.name = "block_cg_direction", .work = block_cg_direction_work<T>(n, k_, m_)});
        return all;
    }

    // Panels moved: product S read, AS written (S, AS read again unless it is fused with the Gram matrix); residual AS,
    // W read, W written; direction W, S, X read, S, X written. Where M is not pointwise: V written, W, V read.
    void step() {
        CgState* const state = state_.data();
        std::size_t kernel = 0;
        bool runs = true;
        const auto lap = [&] {
            clock_.lap(kernel++, runs);
            runs = is_running(backend_, state);
        };
        clock_.start();
        spmm_gram(backend_, a_, std::as_const(s_).view(), as_.view(), matrix(small_.curvature), lap);
        block_cg_step<T>(backend_, small_, state);  // xi = (S'AS)^-1,  step = xi sigma
        lap();
        take_residuals(lap);                                // W = Q - s AS xi
        block_cg_basis<T>(backend_, small_, false, state);  // W = Q zeta,  sigma = zeta sigma
        lap();
        take_directions();  // X, S
        lap();
    }

    /// W, and what the basis is made of: its Gram matrices. With a preconditioner that is not pointwise V = M W stands
    /// beside W, and Q = W z is orthonormal in the inner product of M: Q'M Q = I, M Q = V z.
    template <class Lap>
    void take_residuals(Lap&& lap) {
        CgState* const state = state_.data();
        const auto as = std::as_const(as_).view();
        if constexpr (is_pointwise) {
            block_cg_residual(backend_, m_, as, w_.view(), small_, state);
        } else {
            BlockCgMatrices plain = small_;
            plain.gram = small_.weighted;  // R'R is in terms of W'W
            block_cg_residual(backend_, Identity{}, as, w_.view(), plain, state);
            lap();
            const MatrixOf<B, const T> w = std::as_const(w_).view();
            while_running(backend_, state, [&] { precondition(backend_, m_, w, v_.view()); });
            lap();
            gram(backend_, w, std::as_const(v_).view(), matrix(small_.gram));
        }
        lap();
    }

    void take_directions() {
        if constexpr (is_pointwise) {
            block_cg_direction(backend_, m_, std::as_const(w_).view(), s_.view(), x_.view(), small_, state_.data());
        } else {
            block_cg_direction(backend_, Identity{}, std::as_const(v_).view(), s_.view(), x_.view(), small_,
                               state_.data());
        }
    }

    MatrixOf<B, double> matrix(double* data) const { return {data, k_, k_, k_}; }

    void begin_columns(const std::vector<double>& rhs_norms, const std::vector<double>& units) {
        for (Index j = 0; j < k_; ++j) {
            const auto column = static_cast<std::size_t>(j);
            const double target = std::max(options_->rtol * rhs_norms[column], options_->atol * units[column]);
            columns_[j] = {.rhs_norm = rhs_norms[column], .target2 = target * target};
            result_.columns.push_back({.rhs_norm = rhs_norms[column]});
        }
    }

    /// What a run that ended as not_positive_definite has ended as in truth: with nothing to blame but rounding, it has
    /// drifted.
    StopReason judged(const CgState& ended) {
        const auto grew = [](const BlockCgColumn& c) { return c.verdict == StopReason::not_positive_definite; };
        const bool has_grown = ended.x_is_behind && std::any_of(columns_.begin(), columns_.end(), grew);
        evidence_ = is_m_negative() ? Evidence::preconditioner
                    : has_grown     ? Evidence::residual_growth
                                    : block_cg_second_look<B, T>(backend_, a_, s_, as_);
        return evidence_ == Evidence::none ? StopReason::converged : ended.reason;
    }

    /// Whether it is M that is to blame.
    bool is_m_negative() {
        if constexpr (is_pointwise) return false;
        return block_cg_has_negative_product<B, T>(backend_, w_, v_);
    }

    /// R = B - A X into as_, and what its norms make of each column: see cg_gate.
    void take_true_residuals(const CgState& ended, bool first) {
        copy(backend_, b_->values(), as_.values());
        spmm(backend_, a_, std::as_const(x_).view(), as_.view(), T{-1}, T{1});
        gram(backend_, std::as_const(as_).view(), std::as_const(as_).view(), matrix(small_.gram));
        HostVector<double> doubles(storage_.doubles().size());
        download(backend_, storage_.doubles(), doubles);
        const double* const gram = doubles.data() + (small_.gram - storage_.doubles().data());
        for (Index j = 0; j < k_; ++j) {
            auto& told = result_.columns[static_cast<std::size_t>(j)];
            const double norm = std::sqrt(gram[j * k_ + j]);
            const double recurrence = std::sqrt(columns_[j].residual2);
            const double previous = previous_norms_.empty() ? std::numeric_limits<double>::infinity()
                                                            : previous_norms_[static_cast<std::size_t>(j)];
            const double rhs_norm = columns_[j].rhs_norm;
            told.relative_residual = rhs_norm > 0 ? norm / rhs_norm : 0;
            if (first) told.initial_residual = told.relative_residual;
            if (decided(told.reason)) continue;
            if (!first) told.recurrence_residual = recurrence / rhs_norm;
            if (first) told.recurrence_residual = told.relative_residual;
            const bool met = columns_[j].reason == StopReason::converged;
            CgState column = ended;
            if (met) column.reason = StopReason::converged;
            told.reason =
                rhs_norm == 0 ? StopReason::converged : cg_gate(column, norm, previous, std::sqrt(columns_[j].target2));
            if (told.reason == StopReason::not_positive_definite) told.evidence = evidence_;
            if (decided(told.reason))
                told.iterations = told.x_iteration = met ? columns_[j].iteration : ended.iteration;
            columns_[j].reason = told.reason;
            columns_[j].residual2 = norm * norm;
            const double limit = cg_growth_limit<T> * norm;
            columns_[j].limit2 = limit * limit;
        }
        previous_norms_.clear();
        for (const BlockCgColumn& column : columns_.span()) previous_norms_.push_back(std::sqrt(column.residual2));
    }

    std::vector<double> relative_residuals() const {
        std::vector<double> all;
        for (const ColumnResult& column : result_.columns) all.push_back(column.relative_residual);
        return all;
    }
    static bool decided(StopReason reason) { return reason != StopReason::running; }
    bool any_running() const {
        return std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return !decided(c.reason); });
    }
    double worst_relative2() const {
        double worst = 0;
        for (const BlockCgColumn& column : columns_.span()) {
            if (!(column.rhs_norm > 0)) continue;
            worst = larger_or_nan(worst, column.residual2 / (column.rhs_norm * column.rhs_norm));
        }
        return worst;
    }

    /// Q and S from the true residuals R in as_, columns that are done left out: W = R / |R| column by column, made
    /// orthonormal twice, so that columns which are almost the same do not spoil the basis.
    void start(const CgState& scalars) {
        HostVector<double> doubles(storage_.doubles().size(), 0.0);
        const double* const base = storage_.doubles().data();
        for (Index j = 0; j < k_; ++j) {
            if (columns_[j].reason != StopReason::running) continue;
            const double norm = std::sqrt(columns_[j].residual2);
            doubles[small_.xi - base + j * k_ + j] = -1 / norm;
            doubles[small_.sigma - base + j * k_ + j] = norm;
        }
        upload(backend_, doubles, storage_.doubles());
        upload(backend_, columns_, storage_.columns());
        store(backend_, scalars, state_);
        fill(backend_, T{0}, w_.values());
        fill(backend_, T{0}, s_.values());
        for (int pass = 0; pass < 2; ++pass) {
            take_residuals([] {});
            block_cg_basis<T>(backend_, small_, true, state_.data());
        }
        take_directions();
    }

    /// Ends what runs, unless the reason is `running`.
    void end_all_as(StopReason reason) {
        for (Index j = 0; j < k_; ++j) {
            if (columns_[j].reason != StopReason::running) continue;
            columns_[j].reason = result_.columns[static_cast<std::size_t>(j)].reason = reason;
        }
    }

    StopReason on_iteration(Size iteration, double relative2) {
        const double relative = std::sqrt(relative2);
        if (options_->history) result_.history.push_back(relative);
        return ask_outside(backend_, *options_, CgProgress{iteration, relative}, watch_);
    }

    /// What the end says of each column of X.
    void judge() {
        const auto stagnated = [](const ColumnResult& c) { return c.reason == StopReason::stagnated; };
        double matrix_norm = options_->matrix_norm;
        if (matrix_norm == 0) {
            if (std::none_of(result_.columns.begin(), result_.columns.end(), stagnated)) return;
            matrix_norm = spectrum_bounds<B, T>(backend_, a_, x_.n_rows(), 1).norm();
        }
        constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
        const std::vector<double> x_norms = column_norms_in_range<B, T>(backend_, x_, as_);
        for (Index j = 0; j < k_; ++j) {
            const auto at = static_cast<std::size_t>(j);
            ColumnResult& column = result_.columns[at];
            column.accuracy =
                accuracy_of(matrix_norm, x_norms[at], column.relative_residual, columns_[j].rhs_norm, eps);
            if (stagnated(column)) column.evidence = stagnation_evidence(*column.accuracy, eps);
        }
    }

    BlockSolveResult finish() {
        result_.reason = StopReason::converged;
        result_.relative_residual = 0;
        for (const ColumnResult& column : result_.columns) {
            result_.relative_residual = larger_or_nan(result_.relative_residual, column.relative_residual);
            if (column.reason == StopReason::converged) continue;
            result_.reason = column.reason;
            result_.evidence = column.evidence;
        }
        if (result_.reason == StopReason::not_positive_definite) result_.ritz.reset();
        return std::move(result_);
    }

    B& backend_;
    const A& a_;
    const M& m_;
    MultivectorOf<B, T>& x_;
    const MultivectorOf<B, T>* b_ = nullptr;  // of the run
    const CgOptions* options_ = nullptr;      // of the run
    Index k_;
    MultivectorOf<B, T> w_, s_, as_, v_;
    BlockCgStorage<B> storage_;
    BlockCgSpectrum<B> spectrum_;
    BlockCgMatrices small_;
    VectorOf<B, CgState> state_;
    HostVector<BlockCgColumn> columns_;
    std::vector<double> previous_norms_;
    BlockCgBeginning<B, T> beginning_;
    Evidence evidence_ = Evidence::none;
    Stopwatch watch_;
    KernelClock<B> clock_;
    BlockSolveResult result_;
    decltype(std::declval<B&>().record(std::declval<Iteration>())) iteration_;
};

}  // namespace stiefel::detail
