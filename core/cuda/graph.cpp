#include "stiefel/core/cuda/graph.hpp"

namespace stiefel {

namespace {

/// Graph under construction, destroyed with its nodes.
class GraphTemplate {
public:
    explicit GraphTemplate(const Cuda& backend) {
        backend.make_current();
        check_cuda(cudaGraphCreate(&graph_, 0), "creating a graph");
    }
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

CudaGraph instantiate(const GraphTemplate& graph) {
    cudaGraphExec_t executable = nullptr;
    check_cuda(cudaGraphInstantiate(&executable, graph.get(), 0), "instantiating a graph");
    return CudaGraph(executable);
}

/// cudaGraphAddNode for a node that waits for none. Since CUDA 13 it takes data of the edges as well.
template <class Parameters>
void add_node(const GraphTemplate& graph, Parameters& parameters) {
    cudaGraphNode_t node = nullptr;
    if constexpr (CUDART_VERSION >= 13000) {
        check_cuda(cudaGraphAddNode(&node, graph.get(), nullptr, nullptr, 0, &parameters), "adding to a graph");
    } else {
        check_cuda(cudaGraphAddNode(&node, graph.get(), nullptr, 0, &parameters), "adding to a graph");
    }
}

}  // namespace

CudaGraph::~CudaGraph() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
}

void CudaGraph::launch(const Cuda& backend) const {
    check_cuda(cudaGraphLaunch(graph_, backend.stream()), "launching a graph");
}

CudaGraph capture(Cuda& backend, const std::function<void()>& body) {
    const GraphTemplate graph(backend);
    Capture capture(backend, graph.get());
    body();
    capture.end();
    return instantiate(graph);
}

CudaGraph capture_while_loop(Cuda& backend, const std::function<void()>& body, int unroll, CudaLoop loop) {
    require(unroll > 0, "capture_while_loop: unroll must be positive");
    const GraphTemplate graph(backend);
    cudaGraphConditionalHandle condition = 0;
    check_cuda(cudaGraphConditionalHandleCreate(&condition, graph.get(), 1, cudaGraphCondAssignDefault),
               "creating a loop condition");
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = condition;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    add_node(graph, parameters);
    {
        loop.condition = condition;
        const LoopScope scope(backend, loop);
        Capture capture(backend, parameters.conditional.phGraph_out[0]);
        for (int i = 0; i < unroll; ++i) body();
        capture.end();
    }
    return instantiate(graph);
}

}  // namespace stiefel
