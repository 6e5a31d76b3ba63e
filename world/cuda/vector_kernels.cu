#include "stiefel/world/cuda/vector_kernels.hpp"

#include "stiefel/core/cuda/device_world.cuh"
#include "stiefel/core/cuda/early/ranks.cuh"
#include "stiefel/core/cuda/launch.cuh"

#include <algorithm>

namespace stiefel::cuda {

namespace {

constexpr int vector_threads = 256;
static_assert(VectorBoxes::most == DeviceWorld::most_ranks && VectorBoxes::head_bytes % 16 == 0);

__device__ unsigned* rounds_of(const VectorBoxes& boxes, int rank) {
    return reinterpret_cast<unsigned*>(boxes.of[rank]);
}
template <class T>
__device__ T* rows_of(const VectorBoxes& boxes, int rank, unsigned round) {
    return reinterpret_cast<T*>(boxes.of[rank] + VectorBoxes::head_bytes) + round % 2 * boxes.of_round;
}
__device__ unsigned next_round(const VectorBoxes& boxes) {
    return *static_cast<const volatile unsigned*>(boxes.last_round) + 1;
}

/// Whether this block is the last to come here; what all have written before is then seen by it.
__device__ bool is_last_block(unsigned* ticket) {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        is_last = atomicAdd(ticket, 1u) + 1 == gridDim.x;
        if (is_last) *ticket = 0;
        __threadfence_system();
    }
    __syncthreads();
    return is_last;
}

template <class T>
__global__ void __launch_bounds__(vector_threads) write_rows_kernel(VectorBoxes boxes, const T* own) {
    begin_kernel();
    const unsigned round = next_round(boxes);
    const Size n = boxes.end - boxes.begin;
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < n; e += Size{gridDim.x} * blockDim.x) {
        const T value = own[e];
        for (int r = 0; r < boxes.size; ++r) {
            if (r != boxes.rank) rows_of<T>(boxes, r, round)[boxes.begin + e] = value;
        }
    }
    if (!is_last_block(boxes.written)) return;
    if (const auto r = static_cast<int>(threadIdx.x); r < boxes.size && r != boxes.rank) {
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(rounds_of(boxes, r) + boxes.rank), "r"(round)
                     : "memory");
    }
}

template <class T>
__global__ void __launch_bounds__(vector_threads) take_rows_kernel(VectorBoxes boxes, const T* own, T* whole) {
    begin_kernel();
    const unsigned round = next_round(boxes);
    if (const auto r = static_cast<int>(threadIdx.x); r < boxes.size && r != boxes.rank) {
        unsigned found = 0;
        do {  // a rank that has taken this one's rows may have gone on to the next round
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                         : "=r"(found)
                         : "l"(rounds_of(boxes, boxes.rank) + r)
                         : "memory");
        } while (static_cast<int>(found - round) < 0);
    }
    __syncthreads();
    const T* const come = rows_of<T>(boxes, boxes.rank, round);
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < boxes.all; e += Size{gridDim.x} * blockDim.x) {
        const bool is_own = e >= boxes.begin && e < boxes.end;
        whole[e] = is_own ? own[e - boxes.begin] : __ldcg(come + e);
    }
    if (is_last_block(boxes.taken) && threadIdx.x == 0) *boxes.last_round = round;
}

/// Own rows where they belong, zeros elsewhere.
template <class T>
__global__ void place_rows_kernel(Size n, Size begin, Size end, const T* own, T* whole) {
    begin_kernel();
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < n; e += Size{gridDim.x} * blockDim.x) {
        whole[e] = e >= begin && e < end ? own[e - begin] : T{0};
    }
}

template <class T>
__global__ void copy_rows_kernel(Size n, const T* from, T* to) {
    begin_kernel();
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < n; e += Size{gridDim.x} * blockDim.x)
        to[e] = from[e];
}

int vector_grid(const Cuda& backend, Size elements) {
    const Size blocks = (elements + vector_threads - 1) / vector_threads;
    return static_cast<int>(std::clamp<Size>(blocks, 1, Size{4} * backend.device().multiprocessors));
}

}  // namespace

template <class T>
void write_rows(Cuda& backend, const VectorBoxes& boxes, const T* own) {
    launch(backend, write_rows_kernel<T>, vector_grid(backend, boxes.end - boxes.begin), vector_threads,
           "sending rows to all GPUs", boxes, own);
}

template <class T>
void take_rows(Cuda& backend, const VectorBoxes& boxes, const T* own, T* whole) {
    launch(backend, take_rows_kernel<T>, vector_grid(backend, boxes.all), vector_threads, "making a vector whole",
           boxes, own, whole);
}

template <class T>
void place_rows(Cuda& backend, Size n, Size begin, Size end, const T* own, T* whole) {
    launch(backend, place_rows_kernel<T>, vector_grid(backend, n), vector_threads, "making a vector whole", n, begin,
           end, own, whole);
}

template <class T>
void copy_rows(Cuda& backend, Size n, const T* from, T* to) {
    launch(backend, copy_rows_kernel<T>, vector_grid(backend, n), vector_threads, "taking rows of a whole vector", n,
           from, to);
}

template void write_rows(Cuda&, const VectorBoxes&, const double*);
template void write_rows(Cuda&, const VectorBoxes&, const float*);
template void take_rows(Cuda&, const VectorBoxes&, const double*, double*);
template void take_rows(Cuda&, const VectorBoxes&, const float*, float*);
template void place_rows(Cuda&, Size, Size, Size, const double*, double*);
template void place_rows(Cuda&, Size, Size, Size, const float*, float*);
template void copy_rows(Cuda&, Size, const double*, double*);
template void copy_rows(Cuda&, Size, const float*, float*);

}  // namespace stiefel::cuda
