#include "stiefel/world/cuda/cuda_world.hpp"

#include "stiefel/core/cuda/device_world.cuh"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

namespace stiefel {

namespace {

/// What a rank tells the others of memory that it has allocated.
struct Card {
    char host[65] = {};
    pid_t process = 0;
    int device = 0;
    std::byte* address = nullptr;
    cudaIpcMemHandle_t handle{};
};

std::vector<Card> exchanged(Ranks& ranks, const Card& own) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&own);
    const Ranks::Bytes letter(bytes, bytes + sizeof own);
    std::vector<Card> cards;
    for (const Ranks::Bytes& in : ranks.all_to_all(std::vector(static_cast<std::size_t>(ranks.size()), letter))) {
        require(in.size() == sizeof(Card), "CudaWorld: the ranks are not the same program");
        std::memcpy(&cards.emplace_back(), in.data(), sizeof(Card));
    }
    return cards;
}

/// All ranks have come here.
void meet(Ranks& ranks) {
    double nothing = 0;
    ranks.all_sum(&nothing, 1);
}

/// Lets this thread's device reach another of the same process.
void reach_device(int device, int from) {
    if (device == from) return;
    const cudaError_t status = cudaDeviceEnablePeerAccess(device, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
        static_cast<void>(cudaGetLastError());
    } else {
        check_cuda(status, "reaching the memory of another GPU");
    }
}

}  // namespace

/// Memory of all ranks: what is this one's is freed, what is another process's is let go.
struct CudaWorld::Allocation {
    std::byte* own = nullptr;
    std::vector<std::byte*> of;      // each rank
    std::vector<std::byte*> opened;  // of other processes

    ~Allocation() {
        for (std::byte* const memory : opened) static_cast<void>(cudaIpcCloseMemHandle(memory));
        static_cast<void>(cudaFree(own));
    }
};

std::vector<std::byte*> CudaWorld::shared_memory(Size bytes) {
    backend_.make_current();
    Allocation& allocation = *allocations_.emplace_back(std::make_unique<Allocation>());
    // A handle opens whole pages: nothing else of this process is to lie in them.
    constexpr Size page = Size{2} << 20;
    const auto whole = static_cast<std::size_t>((std::max<Size>(bytes, 1) + page - 1) / page * page);
    void* own = nullptr;
    check_cuda(cudaMalloc(&own, whole), "allocating memory that other GPUs reach");
    allocation.own = static_cast<std::byte*>(own);
    check_cuda(cudaMemset(own, 0, whole), "clearing memory that other GPUs reach");
    check_cuda(cudaDeviceSynchronize(), "clearing memory that other GPUs reach");

    Card card{.process = getpid(), .device = backend_.device().index, .address = allocation.own};
    static_cast<void>(gethostname(card.host, sizeof card.host - 1));
    check_cuda(cudaIpcGetMemHandle(&card.handle, own), "lending memory to other processes");
    for (const Card& other : exchanged(ranks_, card)) {
        require(std::strcmp(other.host, card.host) == 0, (std::string("CudaWorld: ranks on ") + card.host + " and " +
                                                          other.host + ": GPUs reach each other within a host only")
                                                             .c_str());
        if (other.process == card.process) {
            reach_device(other.device, card.device);
            allocation.of.push_back(other.address);
            continue;
        }
        void* memory = nullptr;
        check_cuda(cudaIpcOpenMemHandle(&memory, other.handle, cudaIpcMemLazyEnablePeerAccess),
                   "reaching the memory of another process's GPU");
        allocation.opened.push_back(static_cast<std::byte*>(memory));
        allocation.of.push_back(allocation.opened.back());
    }
    meet(ranks_);  // all memory is zero and open before anyone writes there
    return allocation.of;
}

CudaWorld::CudaWorld(Ranks& ranks, Cuda& backend) : ranks_(ranks), backend_(backend) {
    require(size() <= DeviceWorld::most_ranks, "CudaWorld: 8 ranks at most");
    DeviceWorld world{.rank = rank(), .size = size()};
    const std::vector<std::byte*> boxes =
        shared_memory(DeviceWorld::letters(size()) * static_cast<Size>(sizeof(Letter)));
    for (std::size_t r = 0; r < boxes.size(); ++r) world.boxes[r] = reinterpret_cast<Letter*>(boxes[r]);
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, sizeof world), "allocating what a GPU knows of others");
    device_world_ = static_cast<DeviceWorld*>(memory);
    check_cuda(cudaMemcpy(device_world_, &world, sizeof world, cudaMemcpyHostToDevice), "telling a GPU of others");
}

CudaWorld::~CudaWorld() {
    // What others still reach is freed when all have done with it. After an exception nobody may be there to meet.
    const bool all_are_here = std::uncaught_exceptions() == 0;
    static_cast<void>(cudaStreamSynchronize(backend_.stream()));
    if (all_are_here) meet(ranks_);
    static_cast<void>(cudaFree(device_world_));
    for (const auto& allocation : allocations_) {
        for (std::byte* const memory : allocation->opened) static_cast<void>(cudaIpcCloseMemHandle(memory));
        allocation->opened.clear();
    }
    if (all_are_here) meet(ranks_);
}

}  // namespace stiefel
