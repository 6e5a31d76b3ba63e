#include "stiefel/solver/repeat.hpp"

#include "stiefel/core/cuda/graph.hpp"
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/solver/cg_spectrum.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace stiefel {

namespace {

/// Iterations run outside of the loop: one to load the kernels, and those that time them. Each of these takes 40 to 75
/// us (H100), as long as ten in a resident loop, which is why none of its own are, and but two apart from it.
constexpr int sampled_iterations = 5, sampled_apart = 2;

/// Copies of the iteration in the body of the graph's loop. Coming round costs some 3 us (H100); a kernel that finds
/// the loop ended costs about 2 us.
constexpr int short_unroll = 10;

/// So many to the next pause are run one by one: a loop of short iterations takes longer to be made (0.5 ms, H200).
constexpr Size worth_no_loop = 30;

/// The first of the pauses after an iteration.
Size next_pause(std::span<const Size> pauses, Size iteration) {
    const auto next = std::upper_bound(pauses.begin(), pauses.end(), iteration);
    return next == pauses.end() ? std::numeric_limits<Size>::max() : *next;
}

/// One loop, from where it stands to its end.
class Repetition {
public:
    Repetition(Cuda& backend, CudaStep& step) : backend_(backend), step_(step), monitor_(backend.loop_monitor()) {}

    /// Enqueues iterations from a pause, or the beginning, to the next at most: those that are sampled, one by one;
    /// then the loop, if it is there or worth making. One that is unrolled stops exactly where it has gone round a
    /// whole number of times: what is left over is run one by one as well.
    void enqueue(Size iteration, Size pause) {
        const bool is_short = step_.length == StepLength::few_kernels;
        const int unroll = is_short ? short_unroll : 1;
        const bool pauses = pause != std::numeric_limits<Size>::max();
        monitor_.open_window(backend_, pause);
        if (step_.resident) return step_.resident(monitor_.loop());
        Size single = std::exchange(step_.sampled, true) ? 0 : sampled_iterations;
        bool makes_loop = true;
        if (pauses) {
            const Size left = std::max<Size>(0, pause - iteration - single);
            makes_loop = step_.loop != nullptr || !is_short || left > worth_no_loop;
            single += makes_loop ? left % unroll : left;
        }
        single = std::min(single, pause - iteration);
        if (single == 0) return run_loop(unroll);
        run_one_by_one(single);
        if (makes_loop && single < pause - iteration) make_loop(unroll);  // while the device is at work
    }

private:
    void run_one_by_one(Size n) {
        backend_.restart_sweeps();
        const LoopScope scope(backend_, monitor_.loop());
        for (Size i = 0; i < n; ++i) step_();
    }

    void run_loop(int unroll) {
        make_loop(unroll);
        step_.loop->launch(backend_);
    }

    void make_loop(int unroll) {
        if (step_.loop != nullptr) return;
        backend_.restart_sweeps();
        step_.loop =
            std::make_shared<const CudaGraph>(capture_while_loop(backend_, step_.run, unroll, monitor_.loop()));
    }

    Cuda& backend_;
    CudaStep& step_;
    LoopMonitor& monitor_;
};

/// One step after another, each of which waits for the host anyway.
CgState led_by_host(Cuda& backend, CudaStep& step, DeviceVector<CgState>& state,
                    const std::function<StopReason(Size, double)>& on_iteration) {
    CgState now = load(backend, state);
    while (now.reason == StopReason::running) {
        const Size before = now.iteration;
        step();
        now = load(backend, state);
        if (now.iteration == before) continue;  // ended before the step was taken
        const StopReason asked = on_iteration(now.iteration, now.residual2);
        if (now.reason != StopReason::running || asked == StopReason::running) continue;
        now.reason = asked;
        store(backend, now, state);
    }
    return now;
}

}  // namespace

CgState repeat(Cuda& backend, CudaStep& step, DeviceVector<CgState>& state, Size iteration,
               std::span<const Size> pauses, const std::function<StopReason(Size, double)>& on_iteration) {
    if (step.length == StepLength::work_of_host) return led_by_host(backend, step, state, on_iteration);
    LoopMonitor& monitor = backend.loop_monitor();
    Repetition repetition(backend, step);
    const auto tell = [&](Size k, double residual2) { return static_cast<int>(on_iteration(k, residual2)); };
    const auto pause_after = [&](Size k) { return next_pause(pauses, k); };
    monitor.start(backend, iteration);
    // Where the run has ended before its first iteration, a resident loop ends at once; a graph's would not.
    CgState now = step.resident ? CgState{.iteration = iteration} : load(backend, state);
    while (now.reason == StopReason::running) {
        repetition.enqueue(now.iteration, pause_after(now.iteration));
        if (step.resident) {
            static_assert(sizeof(CgState) <= LoopMonitor::most_brought);
            monitor.bring(backend, state.data(), state.bytes());
            monitor.wait(backend, tell, pause_after);
            std::memcpy(&now, monitor.brought(), sizeof now);
        } else {  // loops of systems that are so large that this would gain nothing
            monitor.wait(backend, tell);
            now = load(backend, state);
        }
        if (now.reason != StopReason::running || monitor.end_asked() == 0) continue;
        now.reason = static_cast<StopReason>(monitor.end_asked());  // it stands between two iterations
        store(backend, now, state);
    }
    return now;
}

CgCoefficientRing coefficient_ring(Cuda& backend) {
    const LoopMonitor::Notes notes =
        backend.loop_monitor().notes(backend, cg_coefficient_ring * static_cast<Size>(sizeof(CgCoefficients)));
    return {static_cast<CgCoefficients*>(notes.on_device), static_cast<const CgCoefficients*>(notes.on_host)};
}

void run_samples(Cuda& backend, CudaStep& step) {
    step.sampled = true;
    backend.restart_sweeps();
    for (int i = 0; i < sampled_apart; ++i) step();
}

}  // namespace stiefel
