#pragma once

#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/solver/cg_foreseen.hpp"
#include "stiefel/solver/cuda/grid_exchange.cuh"

namespace stiefel::cuda {

/// The sums of an iteration without preconditioner are one fewer: <r, M r> is <r, r>.
template <bool jacobi>
inline constexpr int n_resident_sums = jacobi ? cg_sum::n : cg_sum::n - 1;

/// What a block of a resident loop decides with the sums of an iteration, by the first threads of two warps at once,
/// and what that tells the others; in shared memory. All blocks decide alike, of all GPUs that share the loop; the
/// first one of each speaks with its host.
template <class T>
struct ResidentDecision {
    T alpha, x_alpha;  ///< of the step that is to come, in units of r and of x
    T beta;            ///< of the direction after it
    T unit;            ///< of A p in the sums of the next product
    bool stops;        ///< before that step
    bool pauses;       ///< the host is to say first whether the loop goes on
    bool wants_pause;  ///< of the first block: that all are to pause once they have the next sums

    // Of the first warp's, which looks ahead,
    CgForesight ahead;
    int ahead_turn;
    // of the second's, which looks back,
    __align__(alignof(CgState)) unsigned char state_room[sizeof(CgState)];
    bool has_stepped;
    int back_turn;
    Size window_end;
    int end_as;
    // and from one to the other: the steps decided upon at the last look and at this one, in turns.
    struct Step {
        double length, beta;
    };
    Step steps[2];

    __device__ CgState& state() { return *reinterpret_cast<CgState*>(state_room); }

    /// By the first thread.
    __device__ void begin(const CgState& from, const CudaLoop& loop) {
        state() = from;
        if (blockIdx.x != 0) state().coefficients = nullptr;  // one block speaks for all
        ahead = cg_first_foresight(from.rho);
        unit = 1;
        window_end = loop.control->window_end;
        end_as = 0;
        has_stepped = wants_pause = false;
        ahead_turn = back_turn = 0;
    }

    /// Of the sums, by the first threads of the first two warps.
    template <int n>
    __device__ void take(const double (&sums)[n], bool all_pause, const CudaLoop& loop) {
        double all[cg_sum::n];
        for (int k = 0; k < cg_sum::n; ++k) all[k] = sums[min(k, n - 1)];
        if (threadIdx.x == 0) {
            look_ahead(all, all_pause);
        } else {
            look_back(all, loop);
        }
    }

    /// Where all pause, by all threads of all blocks, before the step: whether the loop ends here.
    template <class Exchange>
    __device__ bool ends_at_pause(Exchange& exchange, unsigned round, const CudaLoop& loop) {
        bool leaves = false;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            leaves = end_as != 0 || loop_await(loop, window_end, end_as) != AtWindowEnd::goes_on;
            if (end_as != 0) state().reason = static_cast<StopReason>(end_as);
            plan_pause(loop);
        }
        double none[1] = {};
        exchange.template sum<false>(none, round, leaves,
                                     [&](const double(&)[1], bool all_leave) { stops = all_leave; });
        return stops;
    }

    /// By the first thread, before a step that was decided upon: its sums are to be brought once more.
    __device__ void forget_step() { ahead.has_stepped = has_stepped = wants_pause = false; }

    /// By the first block's first thread: what the loop has come to.
    __device__ void end(CgState& to) {
        state().x_is_behind = false;  // here x does not wait for the direction
        to = state();
    }

private:
    __device__ void look_ahead(const double (&sums)[cg_sum::n], bool all_pause) {
        cg_look_ahead<T>(ahead, sums);
        alpha = static_cast<T>(ahead.length);
        x_alpha = static_cast<T>(ahead.length * state().x_unit);
        beta = static_cast<T>(ahead.beta);
        unit = static_cast<T>(ahead.unit);
        pauses = all_pause;
        steps[ahead_turn ^= 1] = {ahead.length, ahead.beta};
        ahead.has_stepped = true;
    }

    __device__ void look_back(const double (&sums)[cg_sum::n], const CudaLoop& loop) {
        CgState& now = state();
        const Size before = now.iteration;
        const Step& taken = steps[back_turn];
        cg_look_back(now, has_stepped, taken.length, taken.beta, sums);
        stops = now.reason != StopReason::running;
        back_turn ^= 1;
        has_stepped = true;
        if (blockIdx.x != 0) return;
        if (now.iteration > before) loop_report(loop, now.iteration, now.residual2);
        plan_pause(loop);
    }

    __device__ void plan_pause(const CudaLoop& loop) {
        const Size iteration = state().iteration;
        if (iteration % ask_stride == 0) end_as = loop_end_asked(loop);
        wants_pause = end_as != 0 || iteration + 1 >= window_end;
    }
};

/// What is left of r by a step, and the direction that goes on from it: in every block the same operations, each
/// rounded for itself.
template <class T>
__device__ T step_down(T r, T alpha, T q) {
    return fma(-alpha, q, r);
}
template <class T>
__device__ T next_direction(T z, T beta, T p) {
    return fma(beta, p, z);
}

/// Adds what a row adds to the sums of q = A p, z = M r being of it.
template <int n, class T>
__device__ void add_product(double (&sums)[n], T p, T q, T r, T m, T unit) {
    const T in_unit = unit * q;
    const double mq = static_cast<double>(m * in_unit);
    sums[cg_sum::curvature] += static_cast<double>(p) * static_cast<double>(q);
    sums[cg_sum::r_mq] += static_cast<double>(r) * mq;
    sums[cg_sum::q_mq] += static_cast<double>(in_unit) * mq;
}

}  // namespace stiefel::cuda
