#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/cuda/graph.hpp"

#include <algorithm>
#include <vector>

namespace stiefel::bench {

/// Batches of calls in a graph that take long beside the graph's start: so short kernels follow each other as fast as
/// the device takes them.
class TimedCalls {
public:
    template <class F>
    TimedCalls(Cuda& backend, F&& call) : calls_(captured(backend, call)) {
        timed(backend, calls_);
    }

    /// Of one call, in the mean of a batch.
    double seconds(const Cuda& backend) const { return timed(backend, calls_) / batch_; }

private:
    template <class F>
    CudaGraph captured(Cuda& backend, F&& call) {
        call();
        backend.synchronize();
        const double once = timed(backend, capture(backend, call));
        batch_ = std::clamp(static_cast<int>(5e-4 / once), 4, 100);
        return capture(backend, [&] {
            for (int i = 0; i < batch_; ++i) call();
        });
    }

    static double timed(const Cuda& backend, const CudaGraph& graph) {
        CudaEvent start, stop;
        start.record(backend);
        graph.launch(backend);
        stop.record(backend);
        return stop.seconds_since(start);
    }

    int batch_ = 1;
    CudaGraph calls_;
};

/// Of one of ten calls one after another on the stream, for what no graph can record.
template <class F>
double stream_seconds(Cuda& backend, F&& call) {
    constexpr int batch = 10;
    CudaEvent start, stop;
    start.record(backend);
    for (int i = 0; i < batch; ++i) call();
    stop.record(backend);
    return stop.seconds_since(start) / batch;
}

/// Of eleven samples.
template <class F>
double median_sample(F&& sample) {
    std::vector<double> samples(11);
    for (double& s : samples) s = sample();
    std::nth_element(samples.begin(), samples.begin() + 5, samples.end());
    return samples[5];
}

/// Median seconds of a call.
template <class F>
double median_seconds(Cuda& backend, F&& call) {
    const TimedCalls calls(backend, call);
    return median_sample([&] { return calls.seconds(backend); });
}

}  // namespace stiefel::bench
