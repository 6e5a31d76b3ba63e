#pragma once

#include "stiefel/core/cuda/check.hpp"

#include <functional>

namespace stiefel {

/// The backend's loop() while a loop is captured.
class LoopScope {
public:
    LoopScope(Cuda& backend, const CudaLoop& loop) : backend_(backend) { backend_.set_loop(loop); }
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;
    ~LoopScope() { backend_.set_loop({}); }

private:
    Cuda& backend_;
};

/// An executable graph.
class CudaGraph {
public:
    explicit CudaGraph(cudaGraphExec_t graph) : graph_(graph) {}
    CudaGraph(CudaGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
    CudaGraph& operator=(CudaGraph&&) = delete;
    ~CudaGraph();

    void launch(const Cuda& backend) const;

private:
    cudaGraphExec_t graph_;
};

/// Captures what `body` enqueues. Should body throw, the capture is ended and nothing remains of it.
CudaGraph capture(Cuda& backend, const std::function<void()>& body);

/// Captures what `body` enqueues into a graph that repeats it, `unroll` copies at a time, until a kernel of it sets the
/// condition of backend.loop() to zero.
CudaGraph capture_while_loop(Cuda& backend, const std::function<void()>& body, int unroll, CudaLoop loop);

}  // namespace stiefel
