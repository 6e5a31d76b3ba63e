#pragma once

#include "stiefel/core/cuda/check.hpp"

namespace stiefel {

/// Work beside a backend's stream: it starts when what was enqueued there before fork() has ended, and what is enqueued
/// there after join() starts when it has ended itself. In a captured step it is a branch of the graph. Its blocks go
/// first where others wait for room on the multiprocessors as well.
///
/// What lies between fork() and join() on the backend's stream must not write what the branch reads or writes.
class SideBranch {
public:
    explicit SideBranch(const Cuda& backend) {
        backend.make_current();
        int least = 0, first = 0;
        check_cuda(cudaDeviceGetStreamPriorityRange(&least, &first), "asking for the priorities of streams");
        check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, first), "creating a stream");
        for (cudaEvent_t* event : {&forked_, &ended_}) {
            check_cuda(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event");
        }
    }
    SideBranch(const SideBranch&) = delete;
    SideBranch& operator=(const SideBranch&) = delete;
    ~SideBranch() {
        for (cudaEvent_t event : {forked_, ended_}) {
            if (event != nullptr) cudaEventDestroy(event);
        }
        if (stream_ != nullptr) cudaStreamDestroy(stream_);
    }

    /// To start kernels on: see LaunchShape.
    cudaStream_t stream() const { return stream_; }

    void fork(const Cuda& backend) const {
        check_cuda(cudaEventRecord(forked_, backend.stream()), "recording an event");
        check_cuda(cudaStreamWaitEvent(stream_, forked_), "waiting for an event");
    }
    void join(const Cuda& backend) const {
        check_cuda(cudaEventRecord(ended_, stream_), "recording an event");
        check_cuda(cudaStreamWaitEvent(backend.stream(), ended_), "waiting for an event");
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t forked_ = nullptr, ended_ = nullptr;
};

}  // namespace stiefel
