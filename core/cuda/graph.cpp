#include "stiefel/core/cuda/graph.hpp"

namespace stiefel {

namespace {

/// Graph under construction, destroyed with its nodes.
class GraphTemplate {
public:
    GraphTemplate() { check_cuda(cudaGraphCreate(&graph_, 0), "creating a graph"); }
    GraphTemplate(const GraphTemplate&) = delete;
    GraphTemplate& operator=(const GraphTemplate&) = delete;
    ~GraphTemplate() { static_cast<void>(cudaGraphDestroy(graph_)); }
    cudaGraph_t get() const { return graph_; }

private:
    cudaGraph_t graph_ = nullptr;
};

/// While it lives, the stream's work goes into a graph.
class Capture {
public:
    Capture(const Cuda& backend, cudaGraph_t graph) : stream_(backend.stream()) {
        check_cuda(cudaStreamBeginCaptureToGraph(stream_, graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
                   "beginning to capture");
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture() {
        cudaGraph_t graph = nullptr;
        if (active_ && cudaStreamEndCapture(stream_, &graph) != cudaSuccess) static_cast<void>(cudaGetLastError());
    }
    void end() {
        active_ = false;
        cudaGraph_t graph = nullptr;
        check_cuda(cudaStreamEndCapture(stream_, &graph), "capturing a loop");
    }

private:
    cudaStream_t stream_;
    bool active_ = true;
};

}  // namespace

CudaGraph::~CudaGraph() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
}

void CudaGraph::launch(const Cuda& backend) const {
    check_cuda(cudaGraphLaunch(graph_, backend.stream()), "launching a graph");
}

CudaGraph capture_while_loop(Cuda& backend, const std::function<void()>& body, int unroll, CudaLoop loop) {
    require(unroll > 0, "capture_while_loop: unroll must be positive");
    const GraphTemplate graph;
    cudaGraphConditionalHandle condition = 0;
    check_cuda(cudaGraphConditionalHandleCreate(&condition, graph.get(), 1, cudaGraphCondAssignDefault),
               "creating a loop condition");
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = condition;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    check_cuda(cudaGraphAddNode(&node, graph.get(), nullptr, nullptr, 0, &parameters), "adding a loop to a graph");
    {
        loop.condition = condition;
        const LoopScope scope(backend, loop);
        Capture capture(backend, parameters.conditional.phGraph_out[0]);
        for (int i = 0; i < unroll; ++i) body();
        capture.end();
    }
    cudaGraphExec_t executable = nullptr;
    check_cuda(cudaGraphInstantiate(&executable, graph.get(), 0), "instantiating a graph");
    return CudaGraph(executable);
}

}  // namespace stiefel
