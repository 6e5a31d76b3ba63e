#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/solver/cg_state.hpp"

#include <functional>
#include <span>

namespace stiefel {

/// Runs a recorded iteration until state[0].reason is no longer `running`, and tells on_iteration(iteration, residual2)
/// of every one, in order. If that returns another reason than `running`, the run ends for it: on a host, and after the
/// iterations in `pauses` (ascending) on any backend, before the next iteration. `iteration` is how many there were
/// when it begins. Returns the state that it ends in.
template <HostBackend B, class Step, class F>
CgState repeat(B&, Step& step, HostVector<CgState>& state, Size /*iteration*/, std::span<const Size>,
               F&& on_iteration) {
    CgState& s = state[0];
    while (s.reason == StopReason::running) {
        const Size before = s.iteration;
        step();
        if (s.iteration == before) continue;  // ended before the step was taken
        const StopReason asked = on_iteration(s.iteration, s.residual2);
        if (s.reason == StopReason::running) s.reason = asked;
    }
    return s;
}

/// On a device the iteration is captured once and repeated there, by a graph that decides for itself when to stop; the
/// host only listens, so on_iteration may be behind and a run that it ends stops some iterations later. The first
/// iterations run one by one outside of the graph, for KernelClock; but where one kernel is the whole loop, which is
/// faster by far and sampled apart. Steps that wait for the host all run one by one, and it is asked after each.
CgState repeat(Cuda& backend, CudaStep& step, DeviceVector<CgState>& state, Size iteration,
               std::span<const Size> pauses,
               const std::function<StopReason(Size iteration, double residual2)>& on_iteration);

/// What an iteration with M is, in all processes of the backend's world.
template <class T, class B, class M>
StepLength step_length_with(const B& backend, const M& m) {
    if constexpr (Pointwise<M, T>) {
        return StepLength::few_kernels;
    } else {
        const bool of_host = !HostBackend<B> && agreed(backend, works_on_host(m) ? 1 : 0) != 0;
        return of_host ? StepLength::work_of_host : StepLength::many_kernels;
    }
}

/// Whether the kernels of an iteration are still to be timed, in iterations of no use: none of a host's are.
template <HostBackend B, class Step>
bool wants_samples(const B&, const Step&) {
    return false;
}
inline bool wants_samples(const Cuda&, const CudaStep& step) {
    return step.resident != nullptr && !step.sampled;
}

/// Runs so many iterations for KernelClock as it takes, from a state that says `running`.
template <HostBackend B, class Step>
void run_samples(B&, Step&) {}
void run_samples(Cuda& backend, CudaStep& step);

/// What was run before decides on no order in which sums are taken from here on, so that equal runs leave equal bits:
/// on a device every other sweep over long vectors begins at their end.
template <HostBackend B>
void begin_sweeps(B&) {}
inline void begin_sweeps(Cuda& backend) {
    backend.restart_sweeps();
}

/// Whether the run goes on, as far as the host knows: where only kernels do, it is not told that it has ended.
template <HostBackend B>
bool is_running(B&, const CgState* state) {
    return state->reason == StopReason::running;
}
inline bool is_running(Cuda&, const CgState*) {
    return true;
}

/// f() within a step, unless the run has ended. On a device only kernels know: there f enqueues in any case, and must
/// write only what nobody reads after the end.
template <HostBackend B, class F>
void while_running(B& backend, const CgState* state, F&& f) {
    if (is_running(backend, state)) f();
}
template <class F>
void while_running(Cuda&, const CgState*, F&& f) {
    f();
}

}  // namespace stiefel
