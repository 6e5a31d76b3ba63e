#include "stiefel/solver/repeat.hpp"

#include "stiefel/core/cuda/graph.hpp"
#include "stiefel/core/cuda/loop.hpp"

namespace stiefel {

namespace {

/// Iterations run outside of the graph: one to load the kernels and four to time them.
constexpr int sampled_iterations = 5;

/// Copies of the iteration in the body of the graph's loop. Coming round costs some 3 us (H100); a kernel that finds
/// the loop ended costs about 2 us.
constexpr int short_unroll = 10;

}  // namespace

void repeat(Cuda& backend, CudaStep& step, DeviceVector<CgState>& state,
            const std::function<StopReason(Size, double)>& on_iteration) {
    const auto end_as = [&](Size iteration, double residual2) {
        return static_cast<int>(on_iteration(iteration, residual2));
    };
    LoopMonitor& monitor = backend.loop_monitor();
    monitor.start(backend, load(backend, state).iteration);
    if (!step.sampled) {
        step.sampled = true;
        backend.restart_sweeps();
        monitor.open_window(backend);
        {
            const LoopScope scope(backend, monitor.loop());
            for (int i = 0; i < sampled_iterations; ++i) step();
        }
        monitor.wait(backend, end_as);
    }
    while (load(backend, state).reason == StopReason::running) {
        monitor.open_window(backend);
        if (step.resident) {
            step.resident(monitor.loop());
        } else {
            if (step.loop == nullptr) {
                backend.restart_sweeps();
                const int unroll = step.length == StepLength::few_kernels ? short_unroll : 1;
                step.loop =
                    std::make_shared<const CudaGraph>(capture_while_loop(backend, step.run, unroll, monitor.loop()));
            }
            step.loop->launch(backend);
        }
        monitor.wait(backend, end_as);
    }
}

}  // namespace stiefel
