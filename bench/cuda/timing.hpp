#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/cuda/graph.hpp"

#include <algorithm>
#include <vector>

namespace stiefel::bench {

/// Median seconds of a call, over batches of calls in a graph that take long beside the graph's start: so short kernels
/// follow each other as fast as the device takes them.
template <class F>
double median_seconds(Cuda& backend, F&& call) {
    const auto timed = [&](const CudaGraph& graph) {
        CudaEvent start, stop;
        start.record(backend);
        graph.launch(backend);
        stop.record(backend);
        return stop.seconds_since(start);
    };
    call();
    backend.synchronize();
    const double once = timed(capture(backend, call));
    const int batch = std::clamp(static_cast<int>(5e-4 / once), 4, 100);
    const CudaGraph calls = capture(backend, [&] {
        for (int i = 0; i < batch; ++i) call();
    });
    timed(calls);
    std::vector<double> samples(11);
    for (double& s : samples) s = timed(calls) / batch;
    std::nth_element(samples.begin(), samples.begin() + 5, samples.end());
    return samples[5];
}

}  // namespace stiefel::bench
