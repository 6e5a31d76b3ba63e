#include "stiefel/dense/vector_operations.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/host_answer.hpp"
#include "stiefel/core/cuda/pack.cuh"

#include <cmath>

namespace stiefel {

namespace {

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
template <class T>
__global__ void max_abs_kernel(Size n, const T* x, unsigned long long* result) {
    begin_kernel();
    unsigned long long largest = 0;
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) {
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(fabs(static_cast<double>(x[i]))));
        largest = max(largest, bits);
    }
    for (int step = warp_size / 2; step > 0; step /= 2) {
        largest = max(largest, __shfl_xor_sync(all_lanes, largest, step));
    }
    if (threadIdx.x % warp_size == 0) atomicMax(result, largest);
}

}  // namespace

template <class T>
void copy(Cuda& backend, const DeviceVector<T>& x, DeviceVector<T>& y) {
    require(x.size() == y.size(), "copy: x and y differ in size");
    backend.copy_bytes(y.data(), x.data(), x.bytes());
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
    return answer.await(backend);
}

template <class T>
double max_abs(Cuda& backend, const DeviceVector<T>& x) {
    DeviceVector<unsigned long long> result(backend, 1);
    backend.zero_bytes(result.data(), result.bytes());
    launch(backend, max_abs_kernel<T>, vector_grid<T>(backend, x.size()), vector_threads, "launching max_abs", x.size(),
           x.data(), result.data());
    const unsigned long long bits = load(backend, result);
    double largest = 0;
    static_assert(sizeof largest == sizeof bits);
    std::copy_n(reinterpret_cast<const char*>(&bits), sizeof bits, reinterpret_cast<char*>(&largest));
    all_max(backend, &largest, 1);
    return largest;
}

// Not through VectorOperations: nvcc makes no device code for kernels that only such a table leads to.
template void copy(Cuda&, const DeviceVector<double>&, DeviceVector<double>&);
template void fill(Cuda&, double, DeviceVector<double>&);
template void scale(Cuda&, int, DeviceVector<double>&);
template void dot(Cuda&, const DeviceVector<double>&, const DeviceVector<double>&, double*);
template double dot(Cuda&, const DeviceVector<double>&, const DeviceVector<double>&);
template double max_abs(Cuda&, const DeviceVector<double>&);
template void copy(Cuda&, const DeviceVector<float>&, DeviceVector<float>&);
template void fill(Cuda&, float, DeviceVector<float>&);
template void scale(Cuda&, int, DeviceVector<float>&);
template void dot(Cuda&, const DeviceVector<float>&, const DeviceVector<float>&, double*);
template double dot(Cuda&, const DeviceVector<float>&, const DeviceVector<float>&);
template double max_abs(Cuda&, const DeviceVector<float>&);

}  // namespace stiefel
