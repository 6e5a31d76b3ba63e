#pragma once

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/panel.hpp"

#include <algorithm>
#include <cstdint>

namespace stiefel::cuda {

/// Panels of k = 1, 2 or 4 columns without gaps between their rows: too narrow for the matrix units, and there is
/// little to compute. A thread has whole rows, 16 bytes or one row at a time, and B in registers.
template <class T, int k>
struct NarrowUpdate {
    static constexpr int in_a_vector = 16 / static_cast<int>(sizeof(T));
    static constexpr int elements = std::max(k, in_a_vector);

    struct alignas(16) Rows {
        T values[elements];
    };

    const T* x = nullptr;
    const double* b = nullptr;
    Size ldb = 0;
    T* y = nullptr;
    Size n = 0;  ///< elements of a panel
    double alpha = 1, beta = 0;

    /// Y's rows after the update.
    __device__ Rows updated(const Rows& from, const Rows& before, const double (&factor)[k][k]) const {
        Rows out;
#pragma unroll
        for (int e = 0; e < elements; ++e) {
            double sum = 0;
#pragma unroll
            for (int i = 0; i < k; ++i) sum += static_cast<double>(from.values[e / k * k + i]) * factor[i][e % k];
            out.values[e] = static_cast<T>(beta == 0 ? sum : sum + beta * static_cast<double>(before.values[e]));
        }
        return out;
    }
};

inline constexpr int narrow_threads = 256;
inline constexpr int narrow_blocks = 4;  // on a multiprocessor

/// 64 bytes of each panel are on their way to a thread before the first are used.
template <class T, int k>
__global__ __launch_bounds__(narrow_threads, narrow_blocks) void narrow_update_kernel(NarrowUpdate<T, k> task) {
    using Rows = typename NarrowUpdate<T, k>::Rows;
    constexpr int elements = NarrowUpdate<T, k>::elements;
    constexpr int ahead = 64 / static_cast<int>(sizeof(Rows));
    double factor[k][k];
#pragma unroll
    for (int i = 0; i < k; ++i) {
#pragma unroll
        for (int j = 0; j < k; ++j) factor[i][j] = task.alpha * task.b[i * task.ldb + j];
    }
    const auto* const x = reinterpret_cast<const Rows*>(task.x);
    auto* const y = reinterpret_cast<Rows*>(task.y);
    const Size whole = task.n / elements;
    const Size stride = Size{gridDim.x} * narrow_threads;
    const Size thread = Size{blockIdx.x} * narrow_threads + threadIdx.x;
    for (Size first = thread; first < whole; first += ahead * stride) {
        Rows from[ahead], before[ahead];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const Size place = first + u * stride;
            if (place >= whole) continue;
            from[u] = x[place];
            if (task.beta != 0) before[u] = y[place];
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const Size place = first + u * stride;
            if (place < whole) y[place] = task.updated(from[u], before[u], factor);
        }
    }
    const auto left = static_cast<int>(task.n - whole * elements);  // rows that fill no vector
    if (thread == 0 && left > 0) {
        Rows from = {}, before = {};
#pragma unroll
        for (int e = 0; e < elements; ++e) {
            if (e >= left) break;
            from.values[e] = task.x[whole * elements + e];
            if (task.beta != 0) before.values[e] = task.y[whole * elements + e];
        }
        const Rows out = task.updated(from, before, factor);
#pragma unroll
        for (int e = 0; e < elements; ++e) {
            if (e < left) task.y[whole * elements + e] = out.values[e];
        }
    }
}

template <class T, int k>
void launch_narrow_update(Cuda& backend, double alpha, const DeviceMatrix<const T>& x,
                          const DeviceMatrix<const double>& b, double beta, const DeviceMatrix<T>& y) {
    NarrowUpdate<T, k> task;
    task.x = x.data;
    task.b = b.data;
    task.ldb = b.ld;
    task.y = y.data;
    task.n = Size{x.n_rows} * k;
    task.alpha = alpha;
    task.beta = beta;
    constexpr Size per_block = Size{64} / static_cast<Size>(sizeof(T)) * narrow_threads;
    const Size wanted = std::max<Size>(1, (task.n + per_block - 1) / per_block);
    const Size most = Size{backend.device().multiprocessors} * narrow_blocks;
    narrow_update_kernel<T, k>
        <<<static_cast<unsigned>(std::min(wanted, most)), narrow_threads, 0, backend.stream()>>>(task);
    check_cuda(cudaGetLastError(), "updating a narrow panel");
}

/// Y = alpha X B + beta Y if the panels are narrow, without gaps and aligned. Returns whether they are.
template <class T>
bool narrow_update(Cuda& backend, double alpha, const DeviceMatrix<const T>& x, const DeviceMatrix<const double>& b,
                   double beta, const DeviceMatrix<T>& y) {
    const Index k = x.n_cols;
    const auto aligned = [](const T* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
    if (y.n_cols != k || x.ld != k || y.ld != k || !aligned(x.data) || !aligned(y.data)) return false;
    if (k == 1) return launch_narrow_update<T, 1>(backend, alpha, x, b, beta, y), true;
    if (k == 2) return launch_narrow_update<T, 2>(backend, alpha, x, b, beta, y), true;
    if (k == 4) return launch_narrow_update<T, 4>(backend, alpha, x, b, beta, y), true;
    return false;
}

}  // namespace stiefel::cuda
