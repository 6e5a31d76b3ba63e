#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/world/ranks.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace stiefel {

/// Ranks that have a GPU each, all of one host, which write into each other's memory (CUDA IPC between processes; a
/// thread's GPU is reached as it is). A backend that joins it ends every sum of its kernels over all GPUs, within the
/// kernel: some 2 us over NVLink. What hosts say to each other goes by the ranks it is made of.
class CudaWorld : public Ranks {
public:
    /// All ranks make theirs at once. Both outlive it, and so does the CudaWorld what was made with it. Throws
    /// InvalidArgument for more ranks than DeviceWorld can count or ranks on several hosts, CudaError where GPUs cannot
    /// reach each other.
    CudaWorld(Ranks& ranks, Cuda& backend);

    /// All ranks end theirs at once, unless for an exception, after which no rank goes on.
    ~CudaWorld() override;
    CudaWorld(const CudaWorld&) = delete;
    CudaWorld& operator=(const CudaWorld&) = delete;

    int rank() const override { return ranks_.rank(); }
    int size() const override { return ranks_.size(); }
    void all_sum(double* sums, Size n) override { ranks_.all_sum(sums, n); }
    void all_max(double* maxima, Size n) override { ranks_.all_max(maxima, n); }
    std::vector<Bytes> all_to_all(const std::vector<Bytes>& out) override { return ranks_.all_to_all(out); }
    void begin(std::span<const Part> out, std::span<const Part> in) override { ranks_.begin(out, in); }
    void end() override { ranks_.end(); }
    DeviceWorld* on_device() const override { return device_world_; }

    /// So many bytes on the GPU of each rank, which may ask for different numbers, zero at first and kept until the
    /// world ends: where those of each rank lie, as kernels of this GPU reach them. All ranks ask at once.
    std::vector<std::byte*> shared_memory(Size bytes);

private:
    struct Allocation;

    Ranks& ranks_;
    Cuda& backend_;
    std::vector<std::unique_ptr<Allocation>> allocations_;
    DeviceWorld* device_world_ = nullptr;
};

}  // namespace stiefel
