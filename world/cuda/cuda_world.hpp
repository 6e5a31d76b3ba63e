#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/world/host_relay.hpp"
#include "stiefel/world/ranks.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace stiefel {

/// Ranks that have a GPU each. GPUs of one host write into each other's memory (CUDA IPC between processes; a thread's
/// GPU is reached as it is); what those say to each other that do not reach each other, as they are on several hosts,
/// is carried by the hosts (HostRelay), with no kernel started or ended for it. A backend that joins it ends every sum
/// of its kernels over all GPUs, within the kernel: some 2 us over NVLink, 5 us by way of a host's memory and what the
/// network takes. What hosts say to each other goes by the ranks it is made of.
class CudaWorld : public Ranks {
public:
    /// Which GPUs write into each other's memory: all that can, or, to try the other way, none.
    enum class Ways { shortest, by_hosts };

    /// All ranks make theirs at once. Both outlive it, and so does the CudaWorld what was made with it. Throws
    /// InvalidArgument for more ranks than DeviceWorld can count, Error where some GPUs do not reach each other and the
    /// ranks have no mail.
    CudaWorld(Ranks& ranks, Cuda& backend, Ways ways = Ways::shortest);

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

    /// Whether this GPU and that of a rank write into each other's memory.
    bool reaches(int rank) const { return reaches_[static_cast<std::size_t>(rank)]; }
    /// Whether some of all GPUs do not, the same in all ranks.
    bool needs_hosts() const { return relay_ != nullptr; }

    /// Whether two ranks have the same GPU: kernels of which one waits for the other's may then not fill it.
    bool shares_gpus() const { return shares_gpus_; }

    /// So many bytes on the GPU of each rank, which may ask for different numbers, zero at first and kept until the
    /// world ends: where those of each rank lie that this GPU reaches, as its kernels do. All ranks ask at once.
    std::vector<std::byte*> shared_memory(Size bytes);

    /// So much memory of each rank that others reach, for what is copied in pieces. Made when first asked for, by all
    /// ranks at once.
    static constexpr Size staging_bytes = Size{32} << 20;
    const std::vector<std::byte*>& staging();

    /// Numbers that this rank sends one that it does not reach, and receives from there, at most in a round.
    struct ParcelRoom {
        int rank;
        Size n_out, n_in;
    };
    /// Parcels as kernels of this GPU write and read them.
    struct ParcelWay {
        ParcelBox out, in;
    };
    /// Kept until the world ends; rounds are counted from `last` + 1. All ranks ask at once, each of two for the other.
    std::vector<ParcelWay> parcels(const std::vector<ParcelRoom>& rooms, unsigned last);

    /// How long this GPU has waited for others so far, in seconds of its clock: in the sums of its kernels, and for
    /// halos when nothing else was left to do, as one thread of each block saw it. Waits for the work enqueued before.
    struct Waits {
        double sums = 0, halos = 0;
    };
    Waits waits() const;

private:
    struct Allocation;
    struct HostMemory;

    void agree_on_ways();
    void look_for_shared_gpus();
    const HostMemory& host_memory(Size bytes);

    Ranks& ranks_;
    Cuda& backend_;
    std::vector<bool> reaches_;
    std::vector<std::unique_ptr<Allocation>> allocations_;
    std::vector<std::unique_ptr<HostMemory>> host_memory_;
    std::vector<std::byte*> staging_;
    std::unique_ptr<HostRelay> relay_;  // goes before the memory that it looks at
    int next_tag_ = 0;
    bool shares_gpus_ = false;
    DeviceWorld* device_world_ = nullptr;
};

}  // namespace stiefel
