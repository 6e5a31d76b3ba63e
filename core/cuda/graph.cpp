#include "stiefel/core/cuda/graph.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>

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

namespace {

double timed(Cuda& backend, const std::function<void()>& work) {
    CudaEvent start, stop;
    start.record(backend);
    work();
    stop.record(backend);
    return stop.seconds_since(start);
}

/// A number of calls that are started at once, and what they took.
struct Batch {
    std::function<void()> run;
    int calls;
    double first;  ///< of one call, warmed up
    std::vector<double> seconds;
};

/// Short calls go into a graph, so that they are not held up by being started one by one. Two runs tell how many: the
/// first brings in code, and what the step makes when it is first run.
Batch make_batch(Cuda& backend, const std::function<void()>& step) {
    constexpr double batch_seconds = 1e-4;  // long beside the start of a graph and the resolution of events
    constexpr int most_calls = 50;
    step();
    backend.restart_sweeps();
    const double once = timed(backend, step);
    const int calls = std::clamp(static_cast<int>(batch_seconds / once), 1, most_calls);
    const auto start_fresh = [&backend, step] {
        backend.restart_sweeps();  // no call finds the end of the one before in the cache
        step();
    };
    if (calls == 1) return {start_fresh, 1, once, {once}};
    const auto graph = std::make_shared<const CudaGraph>(capture(backend, [&] {
        for (int i = 0; i < calls; ++i) start_fresh();
    }));
    const auto run = [&backend, graph] { graph->launch(backend); };
    run();
    return {run, calls, once, {}};
}

}  // namespace

std::vector<double> captured_seconds(Cuda& backend, int samples, const std::vector<std::function<void()>>& steps) {
    constexpr int more_samples = 2;    // times as many of a batch of many calls
    constexpr double hopeless = 1.25;  // times the fastest: more is no noise of long calls
    std::vector<Batch> batches;
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& step : steps) {
        batches.push_back(make_batch(backend, step));
        fastest = std::min(fastest, batches.back().first);
    }
    for (int i = 0; i < more_samples * samples; ++i) {
        for (Batch& batch : batches) {
            const bool settled = std::ssize(batch.seconds) >= samples || batch.first > hopeless * fastest;
            if (batch.calls == 1 && settled) continue;
            batch.seconds.push_back(timed(backend, batch.run) / batch.calls);
        }
    }
    std::vector<double> medians;
    for (Batch& batch : batches) {
        const auto middle = batch.seconds.begin() + static_cast<std::ptrdiff_t>(batch.seconds.size() / 2);
        std::nth_element(batch.seconds.begin(), middle, batch.seconds.end());
        medians.push_back(*middle);
    }
    return medians;
}

}  // namespace stiefel
