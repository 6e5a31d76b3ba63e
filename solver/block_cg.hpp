#pragma once

#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_columns.hpp"
#include "stiefel/solver/block_cg_kernels.hpp"
#include "stiefel/solver/block_cg_storage.hpp"
#include "stiefel/solver/block_solve_result.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/solver/spmm_gram.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace stiefel {

/// The most right-hand sides of one block.
inline constexpr Index max_block_columns = max_panel_columns;

namespace detail {

/// A run of block CG: the panels it works in and the steps it is made of.
template <class B, class T, class A, class M>
class BlockCg {
public:
    BlockCg(B& backend, const A& a, const M& m, const MultivectorOf<B, T>& b, MultivectorOf<B, T>& x,
            const CgOptions& options)
        : backend_(backend),
          a_(a),
          m_(m),
          b_(b),
          x_(x),
          options_(options),
          k_(b.n_cols()),
          w_(make_multivector<T>(backend, b.n_rows(), k_)),
          s_(make_multivector<T>(backend, b.n_rows(), k_)),
          as_(make_multivector<T>(backend, b.n_rows(), k_)),
          storage_(backend, k_),
          small_(storage_.matrices(!std::is_same_v<M, Identity>)),
          state_(make_vector<CgState>(backend, 1)),
          columns_(k_),
          clock_(backend, kernels()) {}

    /// For each column the norm of b, and what to multiply atol with.
    BlockSolveResult run(const std::vector<double>& rhs_norms, const std::vector<double>& units) {
        auto iterate = backend_.record([this] { step(); });
        watch_.restart();
        begin_columns(rhs_norms, units);
        CgState scalars{.max_iterations = options_.max_iterations >= 0 ? options_.max_iterations
                                                                       : default_max_iterations(b_.n_rows())};
        for (bool first = true;; first = false) {
            take_true_residuals(scalars, first);
            if (first) end_all_as(on_iteration(0, worst_relative2()));
            if (!any_running()) break;
            if (!first) ++result_.restarts;
            scalars.reason = StopReason::running;
            scalars.x_is_behind = false;
            start(scalars);
            repeat(backend_, iterate, state_,
                   [this](Size iteration, double relative2) { return on_iteration(iteration, relative2); });
            scalars = load(backend_, state_);
            if (scalars.x_is_behind) {
                panel_update(backend_, 1.0, std::as_const(s_).view(), matrix(small_.step), 1.0, x_.view());
            }
            download(backend_, storage_.columns(), columns_);
        }
        result_.seconds = watch_.seconds();
        result_.iterations = scalars.iteration;
        result_.kernels = clock_.kernels();
        return finish();
    }

private:
    std::vector<KernelTime> kernels() const {
        const Size n = b_.n_rows();
        std::vector<KernelTime> all = spmm_gram_laps<T>(backend_, a_, b_.n_rows(), k_);
        all.push_back({.name = "block_cg_step"});
        all.push_back({.name = "block_cg_residual", .work = block_cg_residual_work<T>(n, k_, m_)});
        all.push_back({.name = "block_cg_basis"});
        all.push_back({.name = "block_cg_direction", .work = block_cg_direction_work<T>(n, k_, m_)});
        return all;
    }

    // Panels moved: product S read, AS written (S, AS read again unless it is fused with the Gram matrix); residual AS,
    // W read, W written; direction W, S, X read, S, X written.
    void step() {
        CgState* const state = state_.data();
        std::size_t kernel = 0;
        const auto lap = [&] { clock_.lap(kernel++); };
        clock_.start();
        spmm_gram(backend_, a_, std::as_const(s_).view(), as_.view(), matrix(small_.curvature), lap);
        block_cg_step<T>(backend_, small_, state);  // xi = (S'AS)^-1,  step = xi sigma
        lap();
        block_cg_residual(backend_, m_, std::as_const(as_).view(), w_.view(), small_, state);  // W = Q - s AS xi
        lap();
        block_cg_basis<T>(backend_, small_, false, state);  // W = Q zeta,  sigma = zeta sigma
        lap();
        block_cg_direction(backend_, m_, std::as_const(w_).view(), s_.view(), x_.view(), small_, state);  // X, S
        lap();
    }

    MatrixOf<B, double> matrix(double* data) const { return {data, k_, k_, k_}; }

    void begin_columns(const std::vector<double>& rhs_norms, const std::vector<double>& units) {
        for (Index j = 0; j < k_; ++j) {
            const auto column = static_cast<std::size_t>(j);
            const double target = std::max(options_.rtol * rhs_norms[column], options_.atol * units[column]);
            columns_[j] = {.rhs_norm = rhs_norms[column], .target2 = target * target};
            result_.columns.push_back({.rhs_norm = rhs_norms[column]});
        }
    }

    /// R = B - A X into as_, and what its norms make of each column: see cg_gate.
    void take_true_residuals(const CgState& ended, bool first) {
        copy(backend_, b_.values(), as_.values());
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
            if (decided(told.reason)) continue;
            if (!first) told.recurrence_residual = recurrence / rhs_norm;
            if (first) told.recurrence_residual = told.relative_residual;
            if (columns_[j].reason == StopReason::converged) told.iterations = columns_[j].iteration;
            CgState column = ended;
            if (columns_[j].reason != StopReason::running) column.reason = columns_[j].reason;
            told.reason =
                rhs_norm == 0 ? StopReason::converged : cg_gate(column, norm, previous, std::sqrt(columns_[j].target2));
            if (decided(told.reason) && told.reason != StopReason::converged) told.iterations = ended.iteration;
            columns_[j].reason = told.reason;
            columns_[j].residual2 = norm * norm;
            const double limit = cg_growth_limit<T> * norm;
            columns_[j].limit2 = limit * limit;
        }
        previous_norms_.clear();
        for (const BlockCgColumn& column : columns_.span()) previous_norms_.push_back(std::sqrt(column.residual2));
    }

    static bool decided(StopReason reason) { return reason != StopReason::running; }
    bool any_running() const {
        return std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return !decided(c.reason); });
    }
    double worst_relative2() const {
        double worst = 0;
        for (const BlockCgColumn& column : columns_.span()) {
            const double relative2 = column.residual2 / (column.rhs_norm * column.rhs_norm);
            if (column.rhs_norm > 0 && !(relative2 <= worst)) worst = relative2;
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
            block_cg_residual(backend_, m_, std::as_const(as_).view(), w_.view(), small_, state_.data());
            block_cg_basis<T>(backend_, small_, true, state_.data());
        }
        block_cg_direction(backend_, m_, std::as_const(w_).view(), s_.view(), x_.view(), small_, state_.data());
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
        if (options_.history) result_.history.push_back(relative);
        return ask_outside(options_, CgProgress{iteration, relative}, watch_);
    }

    BlockSolveResult finish() {
        result_.reason = StopReason::converged;
        for (const auto& column : result_.columns) {
            result_.relative_residual = std::max(result_.relative_residual, column.relative_residual);
            if (column.reason != StopReason::converged) result_.reason = column.reason;
        }
        return std::move(result_);
    }

    B& backend_;
    const A& a_;
    const M& m_;
    const MultivectorOf<B, T>& b_;
    MultivectorOf<B, T>& x_;
    const CgOptions& options_;
    Index k_;
    MultivectorOf<B, T> w_, s_, as_;
    BlockCgStorage<B> storage_;
    BlockCgMatrices small_;
    VectorOf<B, CgState> state_;
    HostVector<BlockCgColumn> columns_;
    std::vector<double> previous_norms_;
    Stopwatch watch_;
    KernelClock<B> clock_;
    BlockSolveResult result_;
};

/// Throws InvalidArgument naming the first column of a panel that holds a NaN or infinity; else max |a_ij| of each.
template <class B, class T>
std::vector<double> finite_maxima(B& backend, const MultivectorOf<B, T>& a, std::string_view name) {
    auto maxima = make_vector<double>(backend, a.n_cols());
    column_maxima(backend, a.view(), maxima.data());
    HostVector<double> on_host(a.n_cols());
    download(backend, maxima, on_host);
    for (Index j = 0; j < a.n_cols(); ++j) {
        if (std::isfinite(on_host[j])) continue;
        throw InvalidArgument("block_cg: column " + std::to_string(j + 1) + " of " + std::string(name) +
                              " holds a NaN or infinity");
    }
    return {on_host.begin(), on_host.end()};
}

/// The power of two that brings a column whose squares might leave the range of double to about 1; else 1.
inline double safe_unit(double largest) {
    if (!cg_needs_scaling(largest)) return 1;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

template <class B, class T>
std::vector<double> column_norms(B& backend, const MultivectorOf<B, T>& a) {
    const Index k = a.n_cols();
    auto products = make_vector<double>(backend, Size{k} * k);
    gram(backend, a.view(), a.view(), as_matrix(products, k, k));
    HostVector<double> on_host(products.size());
    download(backend, products, on_host);
    std::vector<double> norms;
    for (Index j = 0; j < k; ++j) norms.push_back(std::sqrt(on_host[j * k + j]));
    return norms;
}

template <class B, class T>
void scale_by(B& backend, const std::vector<double>& factors, MultivectorOf<B, T>& a) {
    HostVector<double> on_host(a.n_cols());
    std::copy(factors.begin(), factors.end(), on_host.begin());
    auto on_backend = make_vector<double>(backend, a.n_cols());
    upload(backend, on_host, on_backend);
    scale_columns(backend, on_backend.data(), a.view());
}

/// Throws OutOfMemory, naming the number of columns that fits, unless the panels of a run fit into memory.
template <class T, class B>
void require_room_for_block(B& backend, Index n, Index k) {
    constexpr Size panels = 3;
    const Size bytes_a_column = panels * n * static_cast<Size>(sizeof(T));
    const Size available = available_bytes(backend);
    if (bytes_a_column * k <= available) return;
    throw OutOfMemory("block_cg with " + std::to_string(k) + " columns (" +
                          std::to_string(std::max<Size>(0, available / std::max<Size>(1, bytes_a_column))) + " fit)",
                      bytes_a_column * k, available);
}

}  // namespace detail

/// Solves A X = B for symmetric positive definite A and k right-hand sides at once: A is read once an iteration for all
/// of them, and each finds its solution in the directions of all, so that fewer iterations are needed than by cg.
/// The method is that of Dubrulle 2001 (BCGrQ, "Retooling the method of block conjugate gradients"): residuals are kept
/// as R = Q sigma with orthonormal Q, which stays stable where columns become dependent. Here Q comes from a Cholesky
/// factorisation with pivoting of W' W, which reveals the rank: dependent directions become columns of zeros. A column
/// that has converged keeps its solution from then on; its directions still serve the others.
///   a  n x n operator in the backend's memory that has spmm      m  Identity, or Jacobi from make_jacobi
///   b  n x k, right-hand sides, 1 <= k <= max_block_columns      x  n x k, guesses on entry, solutions on return
/// Options as for cg, for each column by itself; max_iterations counts iterations of the block.
/// Throws InvalidArgument, naming column and argument, on sizes that do not fit or entries of B or X that are not
/// finite, and OutOfMemory, with the number of columns that fit, before the run. Not converging is no error: read the
/// result's reasons. A right-hand side 0 gives x = 0 whatever the guess.
/// Memory: three panels of n x k. Traffic of an iteration with CSR in double: 12 nnz + 4 n + 96 n k bytes (80 n k where
/// spmm_gram() is one pass), 2 nnz k + 14 n k^2 flops; Jacobi 16 n bytes more.
template <class B, class T, class Memory, class A, class M>
requires PanelOperatorOn<A, B, T> BlockSolveResult block_cg(B& backend, const A& a, const M& m,
                                                            const Multivector<T, Memory>& b, Multivector<T, Memory>& x,
                                                            const CgOptions& options = {}) {
    require(b.n_cols() >= 1 && b.n_cols() <= max_block_columns, "block_cg: B must have 1 to 64 columns");
    require(x.n_rows() == b.n_rows() && x.n_cols() == b.n_cols(), "block_cg: X and B differ in size");
    require(options.rtol >= 0 && options.atol >= 0, "block_cg: rtol and atol must not be negative or NaN");
    check_time_limit("block_cg", options.time_limit);
    const std::vector<double> maxima = detail::finite_maxima<B, T>(backend, b, "B");
    detail::finite_maxima<B, T>(backend, x, "X");
    detail::require_room_for_block<T>(backend, b.n_rows(), b.n_cols());

    std::vector<double> units, back, keep;
    bool all_safe = true;
    for (const double largest : maxima) {
        const double unit = detail::safe_unit(largest);
        all_safe = all_safe && unit == 1;
        units.push_back(unit);
        back.push_back(1 / unit);
        keep.push_back(largest == 0 ? 0 : unit);
    }
    detail::scale_by<B, T>(backend, keep, x);
    if (all_safe) {
        return detail::BlockCg<B, T, A, M>(backend, a, m, b, x, options)
            .run(detail::column_norms<B, T>(backend, b), units);
    }
    auto scaled = make_multivector<T>(backend, b.n_rows(), b.n_cols());
    copy(backend, b.values(), scaled.values());
    detail::scale_by<B, T>(backend, units, scaled);
    BlockSolveResult result = detail::BlockCg<B, T, A, M>(backend, a, m, scaled, x, options)
                                  .run(detail::column_norms<B, T>(backend, scaled), units);
    detail::scale_by<B, T>(backend, back, x);
    for (std::size_t j = 0; j < back.size(); ++j) result.columns[j].rhs_norm *= back[j];
    return result;
}

/// block_cg without preconditioner.
template <class B, class T, class Memory, class A>
requires PanelOperatorOn<A, B, T> BlockSolveResult block_cg(B& backend, const A& a, const Multivector<T, Memory>& b,
                                                            Multivector<T, Memory>& x, const CgOptions& options = {}) {
    return block_cg(backend, a, Identity{}, b, x, options);
}

}  // namespace stiefel
