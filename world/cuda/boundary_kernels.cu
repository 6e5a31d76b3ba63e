#include "stiefel/world/cuda/boundary_kernels.hpp"

#include "stiefel/core/cuda/early/ranks.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/world/cuda/boundary_row.cuh"
#include "stiefel/world/host_relay.hpp"

namespace stiefel::cuda {

namespace {

constexpr int threads = 256;
static_assert(letter_bytes == sizeof(Letter) && Addresses::most == DeviceWorld::most_ranks);

/// All blocks wait for letters at the same time, and leave room for those of other kernels.
int grid(const Cuda& backend, Size elements) {
    return static_cast<int>(
        std::clamp<Size>((elements + threads - 1) / threads, 1, Size{4} * backend.device().multiprocessors));
}

/// Few, as each fences what it has written, and these fill the bus to the host.
int grid_by_hosts(const Cuda& backend, Size elements) {
    return std::min(grid(backend, elements), 16);
}

// The word of a parcel, as HostRelay has it, and its numbers.

__device__ inline void put_head(std::byte* parcel, unsigned round, Size n_numbers) {
    const auto word = static_cast<unsigned long long>(round) << 32 | static_cast<unsigned>(n_numbers);
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(parcel), "l"(word) : "memory");
}
__device__ inline unsigned round_at_head(const std::byte* parcel) {
    unsigned long long word = 0;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(parcel) : "memory");
    return static_cast<unsigned>(word >> 32);
}
__device__ inline double* numbers_of(std::byte* parcel) {
    return reinterpret_cast<double*>(parcel + ParcelBox::head_bytes);
}
__device__ inline const double* numbers_of(const std::byte* parcel) {
    return reinterpret_cast<const double*>(parcel + ParcelBox::head_bytes);
}

template <class T, bool with_parcels>
__global__ void send_kernel(DeviceMatrix<const T> x, const Index* sent, Addresses to, const unsigned* last_round) {
    announce_kernel();
    const Size k = x.n_cols, n = to.first[to.n] * k;
    const Size first = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    Index row = first < n ? sent[first / k] : 0;
    await_kernel_ahead();
    const unsigned round = *static_cast<const volatile unsigned*>(last_round) + 1;
    for (Size e = first; e < n; e += Size{gridDim.x} * blockDim.x) {
        const Size i = e / k, j = e % k;
        if (e != first) row = sent[i];
        const T value = x.data[row * x.ld + j];
        const int neighbour = receiver(to, i);
        const Size number = (i - to.first[neighbour]) * k + j;
        if (with_parcels && to.in_parcel[neighbour]) {
            std::byte* const parcel = to.box[neighbour] + round % 2 * to.of_round[neighbour];
            numbers_of(parcel)[number] = static_cast<double>(value);
        } else {
            send_letter(to, neighbour, number, value, round);
        }
    }
    if (!with_parcels) return;
    // A parcel is ready when all blocks have written their part of it; a fence for each block, as one takes long.
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    if (atomicAdd(to.ticket, 1u) + 1 != gridDim.x) return;
    *to.ticket = 0;
    __threadfence_system();
    for (int i = 0; i < to.n; ++i) {
        if (!to.in_parcel[i]) continue;
        put_head(to.box[i] + round % 2 * to.of_round[i], round, (to.first[i + 1] - to.first[i]) * k);
    }
}

/// One block looks for parcels, as each look goes over the bus, and tells the others by notes on this GPU.
__global__ void __launch_bounds__(threads) bring_kernel(Parcels parcels, Index columns, std::byte* box, Size of_round,
                                                        const unsigned* last_round, DeviceWorld* world) {
    begin_kernel();
    const unsigned long long begin = nanoseconds();
    const unsigned round = *static_cast<const volatile unsigned*>(last_round) + 1;
    const auto parcel_of = [&](int i) { return parcels.parcel[i] + round % 2 * parcels.parcel_bytes[i]; };
    if (const auto i = static_cast<int>(threadIdx.x); i < parcels.n) {
        unsigned* const note = parcels.notes + i;
        if (blockIdx.x == 0) {
            while (round_at_head(parcel_of(i)) != round) {
            }
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(note), "r"(round) : "memory");
        } else {
            unsigned noted = 0;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(noted) : "l"(note) : "memory");
            } while (noted != round);
        }
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&world->waited_for_halos, nanoseconds() - begin);
    const auto letters = reinterpret_cast<Letter*>(box) + round % 2 * of_round;
    const Size n = parcels.first[parcels.n] * columns;
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < n; e += Size{gridDim.x} * blockDim.x) {
        int i = 0;
        while (e >= parcels.first[i + 1] * columns) ++i;
        const Size number = e - parcels.first[i] * columns;
        const double value = __ldcv(numbers_of(parcel_of(i)) + number);
        post(letters + parcels.place[i] * columns + number, Letter::sealed(value, round));
    }
}

template <class T, class Offset, int lanes>
__global__ void __launch_bounds__(threads)
    finish_kernel(Boundary<T, Offset> boundary, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha, double* dot,
                  ReductionScratch scratch) {
    announce_kernel();
    const BoundaryPart<lanes> part;
    const Size k = x.n_cols, n = boundary.n * k;
    BoundaryRow<T, lanes> own(boundary, part.first / k, part.lane);
    await_kernel_ahead();
    const unsigned round = *static_cast<volatile unsigned*>(boundary.round) + 1;
    const Letter* const box = letters_of_round(boundary, round);
    double sums[1] = {part.first == 0 && part.lane == 0 && dot != nullptr ? *dot : 0.0};
    unsigned long long waited = 0;
    for (Size e = part.first; part.goes_on(e, n); e += part.step) {
        const Size i = e / k, j = e % k;
        if (e != part.first) own = BoundaryRow<T, lanes>(boundary, i, part.lane);
        const bool writes = e < n && part.lane == 0;
        T* const place = y.data + own.row * y.ld + j;
        const T before = writes ? *place : T{0};
        const T weight = writes && dot != nullptr ? x.data[own.row * x.ld + j] : T{0};
        const T sum = own.product(boundary, box + j, k, round);
        waited += own.waited;
        if (!writes) continue;
        *place = before + alpha * sum;
        sums[0] += static_cast<double>(weight) * static_cast<double>(alpha * sum);
    }
    tell_wait(boundary.world, waited);
    // Whoever is last knows that all letters have been read.
    if (!grid_sum(sums, scratch)) return;
    *boundary.round = round;
    if (dot != nullptr) *dot = sums[0];
}

template <class T, class Offset, int lanes>
__global__ void __launch_bounds__(threads)
    correct_kernel(Boundary<T, Offset> boundary, Corrected<T> corrected, ReductionScratch scratch) {
    announce_kernel();
    const BoundaryPart<lanes> part;
    BoundaryRow<T, lanes> own(boundary, part.first, part.lane);
    await_kernel_ahead();
    const unsigned round = *static_cast<volatile unsigned*>(boundary.round) + 1;
    const Letter* const box = letters_of_round(boundary, round);
    unsigned long long waited = 0;
    for (Size i = part.first; part.goes_on(i, boundary.n); i += part.step) {
        if (i != part.first) own = BoundaryRow<T, lanes>(boundary, i, part.lane);
        const T sum = own.product(boundary, box, 1, round);
        waited += own.waited;
        if (i >= boundary.n || part.lane != 0) continue;
#pragma unroll
        for (int t = 0; t < Corrected<T>::most; ++t) {
            if (t < corrected.n) corrected.to[t][own.row] += corrected.times[t] * sum;
        }
    }
    tell_wait(boundary.world, waited);
    // Whoever is last knows that all letters have been read.
    double nothing[1] = {};
    if (grid_sum(nothing, scratch)) *boundary.round = round;
}

__global__ void meet_kernel(DeviceWorld* world) {
    begin_kernel();
    double nothing[1] = {};
    all_sum(WorldTurn(world), nothing);
}

}  // namespace

template <class T>
void send(Cuda& backend, CUstream_st* on, DeviceMatrix<const T> x, const Index* sent, const Addresses& to,
          const unsigned* last_round) {
    const Size n = to.first[to.n] * x.n_cols;
    const bool with_parcels = to.ticket != nullptr;
    const LaunchShape shape{
        .blocks = with_parcels ? grid_by_hosts(backend, n) : grid(backend, n), .threads = threads, .beside = on};
    if (with_parcels) {
        launch_as(backend, send_kernel<T, true>, shape, "sending to GPUs of other hosts", x, sent, to, last_round);
    } else {
        launch_as(backend, send_kernel<T, false>, shape, "sending to other GPUs", x, sent, to, last_round);
    }
}

void bring(Cuda& backend, const Parcels& parcels, Index columns, std::byte* box, Size of_round,
           const unsigned* last_round, DeviceWorld* world) {
    launch(backend, bring_kernel, grid_by_hosts(backend, parcels.first[parcels.n] * columns), threads,
           "bringing what GPUs of other hosts have", parcels, columns, box, of_round, last_round, world);
}

template <class T, class Offset>
void finish(Cuda& backend, const Boundary<T, Offset>& boundary, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha,
            double* dot) {
    ReductionScratch scratch = backend.reduction();
    if (dot == nullptr) scratch.world = nullptr;
    with_lanes(boundary, [&](auto lanes) {
        launch(backend, finish_kernel<T, Offset, lanes>, grid(backend, boundary.n * x.n_cols * lanes), threads,
               "adding what other GPUs have", boundary, x, y, alpha, dot, scratch);
    });
}

template <class T, class Offset>
void correct(Cuda& backend, const Boundary<T, Offset>& boundary, const Corrected<T>& corrected) {
    ReductionScratch scratch = backend.reduction();
    scratch.world = nullptr;
    with_lanes(boundary, [&](auto lanes) {
        launch(backend, correct_kernel<T, Offset, lanes>, grid(backend, boundary.n * lanes), threads,
               "adding what other GPUs have", boundary, corrected, scratch);
    });
}

void meet(Cuda& backend) {
    launch(backend, meet_kernel, 1, warp_size, "meeting other GPUs", backend.reduction().world);
}

template void send(Cuda&, CUstream_st*, DeviceMatrix<const double>, const Index*, const Addresses&, const unsigned*);
template void finish(Cuda&, const Boundary<double, std::int32_t>&, DeviceMatrix<const double>, DeviceMatrix<double>,
                     double, double*);
template void finish(Cuda&, const Boundary<double, std::int64_t>&, DeviceMatrix<const double>, DeviceMatrix<double>,
                     double, double*);
template void send(Cuda&, CUstream_st*, DeviceMatrix<const float>, const Index*, const Addresses&, const unsigned*);
template void finish(Cuda&, const Boundary<float, std::int32_t>&, DeviceMatrix<const float>, DeviceMatrix<float>, float,
                     double*);
template void finish(Cuda&, const Boundary<float, std::int64_t>&, DeviceMatrix<const float>, DeviceMatrix<float>, float,
                     double*);
template void correct(Cuda&, const Boundary<double, std::int32_t>&, const Corrected<double>&);
template void correct(Cuda&, const Boundary<double, std::int64_t>&, const Corrected<double>&);
template void correct(Cuda&, const Boundary<float, std::int32_t>&, const Corrected<float>&);
template void correct(Cuda&, const Boundary<float, std::int64_t>&, const Corrected<float>&);

}  // namespace stiefel::cuda
