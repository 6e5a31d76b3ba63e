#include "stiefel/dense/panel_columns.hpp"

#include "stiefel/core/cuda/device_world.cuh"
#include "stiefel/core/cuda/launch.cuh"

#include <algorithm>

namespace stiefel {

namespace {

constexpr int threads = 256;

int grid(const Cuda& backend, Size elements) {
    return static_cast<int>(
        std::clamp<Size>((elements + threads - 1) / threads, 1, Size{backend.device().multiprocessors} * 8));
}

template <class T>
__global__ void scale_columns_kernel(const double* factors, DeviceMatrix<T> a) {
    begin_kernel();
    const Size elements = Size{a.n_rows} * a.n_cols;
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < elements; e += Size{gridDim.x} * blockDim.x) {
        const Size j = e % a.n_cols;
        T& place = a.data[e / a.n_cols * a.ld + j];
        place = factors[j] == 0 ? T{0} : static_cast<T>(factors[j] * static_cast<double>(place));
    }
}

__global__ void clear_kernel(Index n, double* values) {
    begin_kernel();
    for (Index i = static_cast<Index>(threadIdx.x); i < n; i += static_cast<Index>(blockDim.x)) values[i] = 0;
}

/// Numbers that are not negative compare as their bits do, and NaN lies above infinity: the largest bits win.
template <class T>
__global__ void column_maxima_kernel(DeviceMatrix<const T> a, double* maxima) {
    begin_kernel();
    const Size elements = Size{a.n_rows} * a.n_cols;
    for (Size e = Size{blockIdx.x} * blockDim.x + threadIdx.x; e < elements; e += Size{gridDim.x} * blockDim.x) {
        const Size j = e % a.n_cols;
        const double magnitude = fabs(static_cast<double>(a.data[e / a.n_cols * a.ld + j]));
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(magnitude));
        auto* const place = reinterpret_cast<unsigned long long*>(maxima + j);
        if (bits > *static_cast<volatile unsigned long long*>(place)) atomicMax(place, bits);
    }
}

__global__ void all_max_kernel(DeviceWorld* world, Index n, double* maxima) {
    begin_kernel();
    all_max(world, maxima, n);
}

}  // namespace

template <class T>
void scale_columns(Cuda& backend, const double* factors, DeviceMatrix<T> a) {
    if (a.n_rows == 0 || a.n_cols == 0) return;
    launch(backend, scale_columns_kernel<T>, grid(backend, Size{a.n_rows} * a.n_cols), threads,
           "scaling the columns of a panel", factors, a);
}

template <class T>
void column_maxima(Cuda& backend, DeviceMatrix<const T> a, double* maxima) {
    if (a.n_cols == 0) return;
    launch(backend, clear_kernel, 1, threads, "clearing maxima", a.n_cols, maxima);
    if (a.n_rows > 0) {
        launch(backend, column_maxima_kernel<T>, grid(backend, Size{a.n_rows} * a.n_cols), threads,
               "finding the maxima of columns", a, maxima);
    }
    if (backend.is_alone()) return;
    launch(backend, all_max_kernel, 1, threads, "finding the maxima of all ranks", backend.reduction().world, a.n_cols,
           maxima);
}

template void scale_columns(Cuda&, const double*, DeviceMatrix<double>);
template void scale_columns(Cuda&, const double*, DeviceMatrix<float>);
template void column_maxima(Cuda&, DeviceMatrix<const double>, double*);
template void column_maxima(Cuda&, DeviceMatrix<const float>, double*);

}  // namespace stiefel
