#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/norm.hpp"
#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/solver/ask_outside.hpp"
#include "stiefel/solver/cg_beginning.hpp"
#include "stiefel/solver/cg_gate.hpp"
#include "stiefel/solver/cg_handover.hpp"
#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/solver/cg_options.hpp"
#include "stiefel/solver/cg_scale.hpp"
#include "stiefel/solver/cg_second_look.hpp"
#include "stiefel/solver/cg_spectrum.hpp"
#include "stiefel/solver/factored_loop.hpp"
#include "stiefel/solver/operator.hpp"
#include "stiefel/solver/repeat.hpp"
#include "stiefel/solver/resident.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel::detail {

/// CG for one operator, one preconditioner and one place of x: its vectors and its recorded iteration, which serve any
/// number of solves.
template <class B, class T, class A, class M>
class CgLoop {
public:
    CgLoop(B& backend, const A& a, const M& m, VectorOf<B, T>& x, CgHandover<B, T>* handover = nullptr)
        : backend_(backend),
          a_(a),
          m_(m),
          x_(x),
          handover_(handover),
          r_(handover != nullptr && handover->r.size() == x.size() ? std::move(handover->r)
                                                                   : make_vector<T>(backend, x.size())),
          p_(make_vector<T>(backend, x.size())),
          q_(make_vector<T>(backend, x.size())),
          z_(make_vector<T>(backend, is_pointwise ? 0 : x.size())),
          state_(make_vector<CgState>(backend, 1)),
          spectrum_(backend),
          clock_(backend, kernels()),
          iteration_(backend.record(Iteration{this}, step_length_with<T>(backend, m))) {
        // A backend that can run the whole loop at a stretch may be told how, where the system is small enough.
        if constexpr (is_pointwise && requires { set_resident(backend, iteration_, a, m, x, r_, p_, state_); }) {
            set_resident(backend, iteration_, a, m, x, r_, p_, state_);
        } else if constexpr (requires { set_factored(backend, iteration_, a, m, x, r_, p_, state_); }) {
            set_factored(backend, iteration_, a, m, x, r_, p_, state_);
        }
    }
    CgLoop(const CgLoop&) = delete;
    CgLoop& operator=(const CgLoop&) = delete;

    /// From the guess in x.
    SolveResult solve(const VectorOf<B, T>& b, const CgOptions& options) {
        require(x_.size() == b.size(), "cg: x and b differ in size");
        check_cg_options("cg", options);
        begin_sweeps(backend_);
        const double rhs_norm = norm(backend_, b);
        if (options.from_zero) fill(backend_, T{0}, x_);
        if (rhs_norm != 0) return run(b, options, rhs_norm);
        fill(backend_, T{0}, x_);
        x_norm_ = 0;
        SolveResult result{.reason = StopReason::converged};
        result.relative_residual = result.recurrence_residual = 0;
        judge(result, options.matrix_norm);
        return result;
    }

private:
    static constexpr bool is_pointwise = Pointwise<M, T>;
    static constexpr std::size_t place_of_precondition = 2;  // among kernels(), if M is not pointwise
    static constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());

    struct Iteration {
        CgLoop* loop;
        void operator()() const { loop->iterate(); }
    };

    // Vectors moved: spmv_dot p, q; cg_update q, r read, r written; cg_direction r, p, x read, p, x written. Where M is
    // not pointwise: r, z once more, and what M moves.
    void iterate() {
        CgState* const state = state_.data();
        std::size_t kernel = 0;
        bool runs = true;
        const auto lap = [&] {
            clock_.lap(kernel++, runs);
            runs = is_running(backend_, state);
        };
        clock_.start();
        apply_with_curvature(backend_, a_, p_, q_, &state->curvature);  // q = A p,      curvature = <p, q>
        lap();
        if constexpr (is_pointwise) {
            cg_update(backend_, m_, q_, r_, state);  // r -= alpha q,  rho, alpha, beta, reason
            lap();
            cg_direction(backend_, m_, r_, p_, x_, state);  // x += alpha p,  p = M r + beta p
        } else {
            cg_residual(backend_, q_, r_, state);  // r -= alpha q,  alpha, reason
            lap();
            precondition_residual(z_, lap);                         // z = M r,  rho = <r, z>,  beta, reason
            cg_direction(backend_, Identity{}, z_, p_, x_, state);  // x += alpha p,  p = z + beta p
        }
        lap();
    }

    /// p = M r and rho = <r, p>, with the scalars that the run starts from.
    void start(CgState& scalars) {
        cg_begin(scalars);
        store(backend_, scalars, state_);
        if constexpr (is_pointwise) {
            cg_start(backend_, m_, r_, p_, state_.data());
        } else {
            // On a device the clock leaves out what comes first, which is to be an iteration.
            std::size_t kernel = place_of_precondition;
            if constexpr (HostBackend<B>) clock_.start();
            precondition_residual(p_, [&] {
                if constexpr (HostBackend<B>) clock_.lap(kernel++);
            });
        }
    }

    /// z = M r and rho = <r, z>: in one, where M gives it.
    template <class Lap>
    void precondition_residual(VectorOf<B, T>& z, const Lap& lap) {
        CgState* const state = state_.data();
        if (gives_dot(m_)) {
            while_running(backend_, state, [&] { precondition_with_dot(z, &state->next_rho); });
            cg_take_rho(backend_, state);
        } else {
            while_running(backend_, state, [&] { precondition_vector(backend_, m_, r_, z); });
            lap();
            cg_rho(backend_, r_, z, state);
        }
        lap();
    }
    void precondition_with_dot(VectorOf<B, T>& z, double* dot) {
        if constexpr (requires { precondition_dot(backend_, m_, r_, z, dot); }) {
            precondition_dot(backend_, m_, r_, z, dot);
        }
    }

    /// From the guess in x, for a b that is not 0.
    SolveResult run(const VectorOf<B, T>& b, const CgOptions& options, double rhs_norm) {
        SolveResult result{.rhs_norm = rhs_norm};
        clock_.forget();
        x_norm_.reset();
        const Stopwatch watch;
        const auto tell = [&](Size iteration, double relative) {
            if (options.history) result.history.push_back(relative);
            return ask_outside(backend_, options, CgProgress{iteration, relative}, watch);
        };
        CgScale scale;
        const auto relative = [&](double residual2) { return std::sqrt(residual2) * (scale.unit() / result.rhs_norm); };
        const auto on_iteration = [&](Size iteration, double residual2) {
            if constexpr (HostBackend<B>) catch_up();
            return tell(iteration, relative(residual2));
        };

        const double target = std::max(options.rtol * result.rhs_norm, options.atol);
        CgState scalars{.max_iterations = options.iterations_allowed(rows_of_all(backend_, b.size()))};
        beginning_.forget();
        double began_with = std::numeric_limits<double>::infinity();  // where it is known of b - A x
        for (;;) {
            begin_sweeps(backend_);
            const double left = residual_left(target);
            double residual_norm = left > 0 ? left : residual_norm_of(b, options, rhs_norm);
            result.relative_residual = residual_norm / result.rhs_norm;
            if (beginning_.is_first()) result.initial_residual = result.recurrence_residual = result.relative_residual;
            const StopReason asked = beginning_.is_first() ? tell(0, result.relative_residual) : StopReason::running;
            if (left > 0 && asked != StopReason::running) {
                residual_norm = true_residual_norm(b, options);
                result.relative_residual = residual_norm / result.rhs_norm;
            }
            result.reason = cg_gate(scalars, residual_norm, began_with, target);
            if (result.reason == StopReason::running) result.reason = asked;
            if (result.reason != StopReason::running) break;

            if (!beginning_.is_first()) ++result.restarts;
            if (left == 0) began_with = residual_norm;
            beginning_.keep(backend_, x_, is_zero(options, residual_norm, rhs_norm), residual_norm, scalars.iteration);
            scale.begin(backend_, residual_norm, r_);
            scale.begin(scalars, target, cg_growth_limit<T> * residual_norm);
            scalars.residual2 = std::pow(residual_norm / scale.unit(), 2);
            scalars.coefficients = spectrum_.ring();
            const Size begin = scalars.iteration;
            start(scalars);
            scalars = repeat(backend_, iteration_, state_, begin, options.pauses, on_iteration);
            if (scalars.x_is_behind) cg_finish(backend_, p_, x_, state_.data());
            result.recurrence_residual = relative(scalars.residual2);
            result.evidence = cg_evidence(scalars);
            if (is_followed(scalars.reason, options)) return handed_over(std::move(result), scalars, scale, watch);
            result.ritz = joined(result.ritz, spectrum_.of(begin, scalars.iteration));
            if (!cg_needs_second_look(scalars)) continue;
            const CgSecondLook look = cg_second_look(backend_, a_, m_, r_, p_, q_);
            result.evidence = look.evidence;
            scalars.reason = scale.take(look);
        }
        result.iterations = result.x_iteration = scalars.iteration;
        if (beginning_.is_better_than(result)) {
            beginning_.restore(backend_, x_, result);
            x_norm_.reset();
        }
        judge(result, options.matrix_norm);
        result.seconds = watch.seconds();
        const bool samples = wants_samples(backend_, iteration_);
        if (samples) sample(b, rhs_norm);
        result.kernels = clock_.kernels();
        if (samples) result.sampling_seconds = watch.seconds() - result.seconds;
        return result;
    }

    static bool is_followed(StopReason reason, const CgOptions& options) {
        return reason == StopReason::interrupted && options.is_followed && options.is_followed();
    }

    /// Of b - A x, which r becomes. After a run, whose end is to be judged, that of x is found beside it.
    double true_residual_norm(const VectorOf<B, T>& b, const CgOptions& options) {
        residual(backend_, a_, b, x_, r_);
        x_norm_.reset();
        if (beginning_.is_first() || options.matrix_norm == 0) return norm(backend_, r_);
        const auto [of_residual, of_x] = norms(backend_, r_, x_);
        x_norm_ = of_x;
        return of_residual;
    }

    /// The same; of zeros the residual is b.
    double residual_norm_of(const VectorOf<B, T>& b, const CgOptions& options, double rhs_norm) {
        if (!beginning_.is_first() || !options.from_zero) return true_residual_norm(b, options);
        copy(backend_, b, r_);
        return rhs_norm;
    }

    /// Whether x is zero where a solve begins. The residual of zeros is b to the bit: where norms differ nobody looks.
    bool is_zero(const CgOptions& options, double residual_norm, double rhs_norm) const {
        if (!beginning_.is_first()) return false;
        return options.from_zero || (residual_norm == rhs_norm && max_abs(backend_, x_) == 0);
    }

    /// The norm of r where a run before has left it, to be asked once; 0 where b - A x is to be computed: always where
    /// that may be as small as was asked for.
    double residual_left(double target) {
        const double left = handover_ != nullptr ? std::exchange(handover_->residual_norm, 0) : 0;
        return std::isfinite(left) && left > target ? left : 0;
    }

    /// What another run goes on from.
    SolveResult handed_over(SolveResult result, const CgState& ended, const CgScale& scale, const Stopwatch& watch) {
        if (handover_ != nullptr) {
            scale.undo(backend_, r_);
            handover_->r = std::move(r_);
            handover_->residual_norm = result.recurrence_residual * result.rhs_norm;
        }
        result.reason = ended.reason;
        result.relative_residual = result.recurrence_residual;
        result.iterations = result.x_iteration = ended.iteration;
        result.seconds = watch.seconds();
        result.kernels = clock_.kernels();
        return result;
    }

    /// Lets KernelClock see iterations that lead nowhere, where the run's own are not to be seen: they begin at b, and
    /// leave x as it is, as its unit is 0.
    void sample(const VectorOf<B, T>& b, double rhs_norm) {
        CgScale scale;
        CgState scalars{.max_iterations = std::numeric_limits<Size>::max()};
        copy(backend_, b, r_);
        scale.begin(backend_, rhs_norm, r_);
        scale.begin(scalars, 0, std::numeric_limits<double>::infinity());
        scalars.x_unit = 0;
        start(scalars);
        run_samples(backend_, iteration_);
    }

    /// On a host the monitor may look at x, which is behind where a run has just ended.
    void catch_up() {
        cg_finish(backend_, p_, x_, state_.data());
        state_[0].x_is_behind = false;
    }

    /// What the end says of x, and of what was seen on the way.
    void judge(SolveResult& result, double matrix_norm) {
        const bool stagnated = result.reason == StopReason::stagnated;
        if (stagnated && matrix_norm == 0 && bring_to_one(backend_, r_)) {
            matrix_norm = std::exp2(log2_norm(backend_, a_, r_, p_));
        }
        if (stagnated || matrix_norm > 0) {
            const double x_norm = x_norm_ ? *x_norm_ : norm(backend_, x_);
            result.accuracy = accuracy_of(matrix_norm, x_norm, result.relative_residual, result.rhs_norm, eps);
        }
        if (stagnated) result.evidence = stagnation_evidence(*result.accuracy, eps);
        if (result.evidence == Evidence::negative_curvature || result.evidence == Evidence::preconditioner) {
            result.ritz.reset();
        }
    }

    std::vector<KernelTime> kernels() const {
        const Size n = x_.size();
        const KernelTime product{.name = "spmv_dot", .work = work_of(a_)};
        const KernelTime direction{.name = "cg_direction", .work = cg_direction_work<T>(n, m_)};
        if constexpr (is_pointwise) {
            return {product, {.name = "cg_update", .work = cg_update_work<T>(n, m_)}, direction};
        } else {
            const KernelTime residual{.name = "cg_residual", .work = cg_update_work<T>(n, Identity{})};
            const KernelTime precondition{.name = "precondition", .work = preconditioner_work(m_, 1)};
            if (gives_dot(m_)) return {product, residual, precondition, direction};
            return {product, residual, precondition, {.name = "cg_rho", .work = cg_rho_work<T>(n)}, direction};
        }
    }

    B& backend_;
    const A& a_;
    const M& m_;
    VectorOf<B, T>& x_;
    CgHandover<B, T>* handover_;
    VectorOf<B, T> r_, p_, q_, z_;
    VectorOf<B, CgState> state_;
    CgSpectrum spectrum_;
    CgBeginning<B, T> beginning_;
    std::optional<double> x_norm_;  // of x as it is, where it was found
    KernelClock<B> clock_;
    decltype(std::declval<B&>().record(std::declval<Iteration>())) iteration_;
};

}  // namespace stiefel::detail
