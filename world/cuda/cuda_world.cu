#include "stiefel/world/cuda/cuda_world.hpp"

#include "stiefel/core/cuda/device_world.cuh"
#include "stiefel/core/cuda/early/ranks.cuh"
#include "stiefel/core/cuda/mapped_memory.hpp"
#include "stiefel/world/exchange.hpp"

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

/// All ranks have come here.
void meet(Ranks& ranks) {
    double nothing = 0;
    ranks.all_sum(&nothing, 1);
}

/// What this rank opens of another's.
struct Opened {
    std::byte* address = nullptr;
    bool is_lent = false;  ///< by another process
    cudaError_t status = cudaSuccess;
};

Opened opened(const Card& theirs, const Card& here) {
    Opened memory;
    if (theirs.process != here.process) {
        void* address = nullptr;
        memory.status = cudaIpcOpenMemHandle(&address, theirs.handle, cudaIpcMemLazyEnablePeerAccess);
        if (memory.status == cudaSuccess) memory = {.address = static_cast<std::byte*>(address), .is_lent = true};
    } else {
        if (theirs.device != here.device) memory.status = cudaDeviceEnablePeerAccess(theirs.device, 0);
        if (memory.status == cudaErrorPeerAccessAlreadyEnabled) memory.status = cudaSuccess;
        if (memory.status == cudaSuccess) memory.address = theirs.address;
    }
    static_cast<void>(cudaGetLastError());
    return memory;
}

}  // namespace

/// Memory of all ranks: what is this one's is freed, what is another process's is let go.
struct CudaWorld::Allocation {
    std::byte* own = nullptr;
    std::vector<std::byte*> of;    // each rank; null where it is not reached
    std::vector<std::byte*> lent;  // by other processes

    void let_go() {
        for (std::byte* const memory : lent) static_cast<void>(cudaIpcCloseMemHandle(memory));
        lent.clear();
    }
    ~Allocation() {
        let_go();
        static_cast<void>(cudaFree(own));
    }
};

struct CudaWorld::HostMemory : MappedMemory<std::byte> {
    using MappedMemory::MappedMemory;
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
    // Where memory cannot be lent, others find that they cannot open it.
    if (cudaIpcGetMemHandle(&card.handle, own) != cudaSuccess) static_cast<void>(cudaGetLastError());
    const std::vector<Card> cards = told_to_all(ranks_, card);
    const bool is_first = allocations_.size() == 1;
    for (std::size_t r = 0; r < cards.size(); ++r) {
        if (is_first && std::strcmp(cards[r].host, card.host) != 0) reaches_[r] = false;
        Opened memory;
        if (reaches_[r]) memory = opened(cards[r], card);
        if (!is_first) check_cuda(memory.status, "reaching the memory of another GPU");
        if (memory.status != cudaSuccess) reaches_[r] = false;
        if (memory.is_lent) allocation.lent.push_back(memory.address);
        allocation.of.push_back(memory.address);
    }
    meet(ranks_);  // all memory is zero and open before anyone writes there
    return allocation.of;
}

const std::vector<std::byte*>& CudaWorld::staging() {
    if (staging_.empty()) staging_ = shared_memory(staging_bytes);
    return staging_;
}

/// Two ranks write into each other's memory if both can.
void CudaWorld::agree_on_ways() {
    std::vector<Bytes> out;
    for (const bool reached : reaches_) out.push_back({std::byte{reached}});
    const std::vector<Bytes> in = ranks_.all_to_all(out);
    double some_are_not = 0;
    for (std::size_t r = 0; r < in.size(); ++r) {
        reaches_[r] = reaches_[r] && in[r].front() != std::byte{0};
        if (!reaches_[r]) some_are_not = 1;
    }
    ranks_.all_max(&some_are_not, 1);
    if (some_are_not == 0) return;
    std::unique_ptr<Mail> mail = ranks_.mail();
    if (mail == nullptr) {
        throw Error(
            "GPUs that do not reach each other's memory, as those of several hosts, need an MPI that serves "
            "several threads (MPI_THREAD_MULTIPLE)");
    }
    relay_ = std::make_unique<HostRelay>(std::move(mail));
}

void CudaWorld::look_for_shared_gpus() {
    struct Seat {
        char host[65] = {};
        char on_bus[65] = {};
    };
    Seat seat;
    static_cast<void>(gethostname(seat.host, sizeof seat.host - 1));
    backend_.device().id.copy(seat.on_bus, sizeof seat.on_bus - 1);
    const std::vector<Seat> seats = told_to_all(ranks_, seat);
    const auto sits_here = [&](const Seat& other) {
        return std::strcmp(other.host, seat.host) == 0 && std::strcmp(other.on_bus, seat.on_bus) == 0;
    };
    double here = static_cast<double>(std::count_if(seats.begin(), seats.end(), sits_here));
    ranks_.all_max(&here, 1);
    shares_gpus_ = here > 1;
}

const CudaWorld::HostMemory& CudaWorld::host_memory(Size bytes) {
    backend_.make_current();
    return *host_memory_.emplace_back(std::make_unique<HostMemory>(static_cast<std::size_t>(bytes)));
}

CudaWorld::CudaWorld(Ranks& ranks, Cuda& backend, Ways ways) : ranks_(ranks), backend_(backend) {
    require(size() <= DeviceWorld::most_ranks, "CudaWorld: 32 ranks at most");
    for (int r = 0; r < size(); ++r) reaches_.push_back(ways == Ways::shortest || r == rank());
    DeviceWorld world{.rank = rank(), .size = size()};
    // In each rank's memory there is room for what each posts there.
    constexpr Size letters = Size{2} * DeviceWorld::room, letters_bytes = letters * static_cast<Size>(sizeof(Letter));
    const std::vector<std::byte*> boxes = shared_memory(size() * letters_bytes);
    agree_on_ways();
    look_for_shared_gpus();
    const auto letters_of = [&](std::byte* box, int from) {
        return reinterpret_cast<Letter*>(box + from * letters_bytes);
    };
    const int tag = next_tag_++;
    for (int r = 0; r < size(); ++r) {
        world.to[r] = letters_of(boxes[static_cast<std::size_t>(r)], rank());
        world.from[r] = letters_of(boxes[static_cast<std::size_t>(rank())], r);
        if (reaches(r)) continue;
        const HostMemory& memory = host_memory(2 * letters_bytes);
        world.to[r] = letters_of(memory.on_device(), 0);
        world.from[r] = letters_of(memory.on_device(), 1);
        relay_->carry(r, tag, LetterBox{memory.on_host(), DeviceWorld::room},
                      LetterBox{memory.on_host() + letters_bytes, DeviceWorld::room});
    }
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, sizeof world), "allocating what a GPU knows of others");
    device_world_ = static_cast<DeviceWorld*>(memory);
    check_cuda(cudaMemcpy(device_world_, &world, sizeof world, cudaMemcpyHostToDevice), "telling a GPU of others");
}

std::vector<CudaWorld::ParcelWay> CudaWorld::parcels(const std::vector<ParcelRoom>& rooms, unsigned last) {
    const int tag = next_tag_++;
    std::vector<ParcelWay> ways;
    for (const ParcelRoom& room : rooms) {
        const Size out_bytes = ParcelBox::bytes_for(room.n_out), in_bytes = ParcelBox::bytes_for(room.n_in);
        const HostMemory& memory = host_memory(2 * (out_bytes + in_bytes));
        const auto way_in = [&](std::byte* address) {
            return ParcelWay{{address, out_bytes}, {address + 2 * out_bytes, in_bytes}};
        };
        const ParcelWay on_host = way_in(memory.on_host());
        relay_->carry(room.rank, tag, on_host.out, on_host.in, last);
        ways.push_back(way_in(memory.on_device()));
    }
    return ways;
}

CudaWorld::Waits CudaWorld::waits() const {
    check_cuda(cudaStreamSynchronize(backend_.stream()), "waiting for a GPU");
    DeviceWorld now;
    check_cuda(cudaMemcpy(&now, device_world_, sizeof now, cudaMemcpyDeviceToHost), "reading how long a GPU waited");
    constexpr double ns = 1e-9;
    return {ns * static_cast<double>(now.waited_in_sums), ns * static_cast<double>(now.waited_for_halos)};
}

CudaWorld::~CudaWorld() {
    // What others still reach is freed when all have done with it. After an exception nobody may be there to meet.
    const bool all_are_here = std::uncaught_exceptions() == 0;
    static_cast<void>(cudaStreamSynchronize(backend_.stream()));
    if (all_are_here) meet(ranks_);
    relay_.reset();
    static_cast<void>(cudaFree(device_world_));
    for (const auto& allocation : allocations_) allocation->let_go();
    if (all_are_here) meet(ranks_);
}

}  // namespace stiefel
