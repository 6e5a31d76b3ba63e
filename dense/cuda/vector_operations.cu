#include "stiefel/dense/vector_operations.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/host_answer.hpp"
#include "stiefel/core/cuda/pack.cuh"

#include <cmath>

namespace stiefel {

namespace {

// To ask the driver for a copy takes the host longer than to start a kernel, 12 us instead of 6 (H200).
template <class T>
__global__ void copy_kernel(Size n, const T* x, T* y) {
    begin_kernel();
    for_packs<T>(n, false,
                 [&](Size first, bool whole) { store_pack(y, first, whole, n, load_pack(x, first, whole, n)); });
}

template <class T>
__global__ void fill_kernel(Size n, T value, T* x) {
    begin_kernel();
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) x[i] = value;
}

template <class T>
__global__ void scale_kernel(Size n, int exponent, T* x) {
    begin_kernel();
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) {
        x[i] = ldexp(x[i], exponent);
    }
}

template <class T>
__global__ void dot_kernel(Size n, const T* x, const T* y, double* result, ReductionScratch scratch) {
    begin_kernel();
    double sums[1] = {};
    for_packs<T>(n, false, [&](Size first, bool whole) {
        const Pack<T> xx = load_pack(x, first, whole, n);
        const Pack<T> yy = load_pack(y, first, whole, n);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
            sums[0] += static_cast<double>(xx.value[k]) * static_cast<double>(yy.value[k]);
        }
    });
    if (grid_sum(sums, scratch)) *result = sums[0];
}

/// The bits of non-negative doubles are ordered as they are, and those of NaN come above all: a maximum of bits is a
/// maximum that NaN wins.
using OrderedBits = unsigned long long;

/// Of a block of whole warps; in thread 0.
__device__ OrderedBits block_max(OrderedBits largest) {
    __shared__ OrderedBits of_warp[warp_size];
    const auto over_lanes = [&] {
        for (int step = warp_size / 2; step > 0; step /= 2) {
            largest = max(largest, __shfl_xor_sync(all_lanes, largest, step));
        }
    };
    over_lanes();
    if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = largest;
    __syncthreads();
    if (threadIdx.x < warp_size) {
        largest = threadIdx.x < blockDim.x / warp_size ? of_warp[threadIdx.x] : 0;
        over_lanes();
    }
    __syncthreads();
    return largest;
}

/// The block that is the last to end takes the largest of what all have found.
template <class T>
__global__ void max_abs_kernel(Size n, const T* x, double* result, ReductionScratch scratch) {
    begin_kernel();
    __shared__ bool is_last;
    OrderedBits largest = 0;
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) {
        largest = max(largest, static_cast<OrderedBits>(__double_as_longlong(fabs(static_cast<double>(x[i])))));
    }
    largest = block_max(largest);
    auto* const found = reinterpret_cast<OrderedBits*>(scratch.partials);
    if (threadIdx.x == 0) {
        found[blockIdx.x] = largest;
        __threadfence();
        is_last = atomicInc(scratch.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) largest = max(largest, __ldcg(found + b));
    largest = block_max(largest);
    if (threadIdx.x == 0) *result = __longlong_as_double(static_cast<long long>(largest));
}

}  // namespace

template <class T>
void copy(Cuda& backend, const DeviceVector<T>& x, DeviceVector<T>& y) {
    require(x.size() == y.size(), "copy: x and y differ in size");
    launch(backend, copy_kernel<T>, vector_grid<T>(backend, x.size()), vector_threads, "launching copy", x.size(),
           x.data(), y.data());
}

template <class T>
void fill(Cuda& backend, T value, DeviceVector<T>& x) {
    launch(backend, fill_kernel<T>, vector_grid<T>(backend, x.size()), vector_threads, "launching fill", x.size(),
           value, x.data());
}

template <class T>
void scale(Cuda& backend, int exponent, DeviceVector<T>& x) {
    launch(backend, scale_kernel<T>, vector_grid<T>(backend, x.size()), vector_threads, "launching scale", x.size(),
           exponent, x.data());
}

template <class T>
void dot(Cuda& backend, const DeviceVector<T>& x, const DeviceVector<T>& y, double* result) {
    require(x.size() == y.size(), "dot: x and y differ in size");
    launch(backend, dot_kernel<T>, vector_grid<T>(backend, x.size(), true), vector_threads, "launching dot", x.size(),
           x.data(), y.data(), result, backend.reduction());
}

template <class T>
double dot(Cuda& backend, const DeviceVector<T>& x, const DeviceVector<T>& y) {
    HostAnswer& answer = backend.host_answer();
    dot(backend, x, y, answer.place());
    return answer.await(backend).front();
}

template <class T>
std::array<double, 2> squared_norms(Cuda& backend, const DeviceVector<T>& x, const DeviceVector<T>& y) {
    HostAnswer& answer = backend.host_answer();
    dot(backend, x, x, answer.place(0));
    dot(backend, y, y, answer.place(1));
    return answer.await<2>(backend);
}

template <class T>
double max_abs(Cuda& backend, const DeviceVector<T>& x) {
    HostAnswer& answer = backend.host_answer();
    launch(backend, max_abs_kernel<T>, vector_grid<T>(backend, x.size(), true), vector_threads, "launching max_abs",
           x.size(), x.data(), answer.place(), backend.reduction());
    double largest = answer.await(backend).front();
    all_max(backend, &largest, 1);
    return largest;
}

// Not through VectorOperations: nvcc makes no device code for kernels that only such a table leads to.
template void copy(Cuda&, const DeviceVector<double>&, DeviceVector<double>&);
template void fill(Cuda&, double, DeviceVector<double>&);
template void scale(Cuda&, int, DeviceVector<double>&);
template void dot(Cuda&, const DeviceVector<double>&, const DeviceVector<double>&, double*);
template double dot(Cuda&, const DeviceVector<double>&, const DeviceVector<double>&);
template std::array<double, 2> squared_norms(Cuda&, const DeviceVector<double>&, const DeviceVector<double>&);
template double max_abs(Cuda&, const DeviceVector<double>&);
template void copy(Cuda&, const DeviceVector<float>&, DeviceVector<float>&);
template void fill(Cuda&, float, DeviceVector<float>&);
template void scale(Cuda&, int, DeviceVector<float>&);
template void dot(Cuda&, const DeviceVector<float>&, const DeviceVector<float>&, double*);
template double dot(Cuda&, const DeviceVector<float>&, const DeviceVector<float>&);
template std::array<double, 2> squared_norms(Cuda&, const DeviceVector<float>&, const DeviceVector<float>&);
template double max_abs(Cuda&, const DeviceVector<float>&);

}  // namespace stiefel
