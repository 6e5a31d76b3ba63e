#include "stiefel/world/cuda/boundary_kernels.hpp"

#include "stiefel/core/cuda/device_world.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"

#include <algorithm>

namespace stiefel::cuda {

namespace {

constexpr int threads = 256;
static_assert(letter_bytes == sizeof(Letter) && Addresses::most == DeviceWorld::most_ranks);

/// All blocks wait for letters at the same time, and leave room for those of other kernels.
int grid(const Cuda& backend, Size elements) {
    return static_cast<int>(
        std::clamp<Size>((elements + threads - 1) / threads, 1, Size{4} * backend.device().multiprocessors));
}

// What does not change is read before the kernels ahead have ended, and sets off what does at once.

template <class T>
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
        int neighbour = 0;
        while (i >= to.first[neighbour + 1]) ++neighbour;
        const auto box = reinterpret_cast<Letter*>(to.box[neighbour]) + round % 2 * to.of_round[neighbour];
        post_afar(box + to.place[neighbour] + (i - to.first[neighbour]) * k + j,
                  Letter::sealed(static_cast<double>(value), round));
    }
}

/// A boundary row, with its first entry.
template <class T>
struct BoundaryRow {
    Index row = 0;
    Size begin = 0, end = 0;
    Index ghost = 0;
    T value = 0;

    template <class Offset>
    __device__ BoundaryRow(const Boundary<T, Offset>& boundary, Size i) {
        if (i >= boundary.n) return;
        row = boundary.rows[i];
        begin = boundary.row_ptr[i];
        end = boundary.row_ptr[i + 1];
        ghost = boundary.ghosts[begin];
        value = boundary.values[begin];
    }
};

template <class T, class Offset>
__global__ void __launch_bounds__(threads)
    finish_kernel(Boundary<T, Offset> boundary, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha, double* dot,
                  ReductionScratch scratch) {
    announce_kernel();
    const Size k = x.n_cols, first = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    BoundaryRow<T> own(boundary, first / k);
    await_kernel_ahead();
    const unsigned round = *static_cast<volatile unsigned*>(boundary.round) + 1;
    const auto box = reinterpret_cast<const Letter*>(boundary.box) + round % 2 * boundary.of_round;
    double sums[1] = {first == 0 && dot != nullptr ? *dot : 0.0};
    for (Size e = first; e < boundary.n * k; e += Size{gridDim.x} * blockDim.x) {
        const Size i = e / k, j = e % k;
        if (e != first) own = BoundaryRow<T>(boundary, i);
        T& place = y.data[own.row * y.ld + j];
        const T before = place, weight = dot != nullptr ? x.data[own.row * x.ld + j] : T{0};
        T sum = own.value * static_cast<T>(await_afar(box + own.ghost * k + j, round));
        // As a rule all letters are here: several are looked for at once.
        constexpr int batch = 4;
        for (Size entry = own.begin + 1; entry < own.end; entry += batch) {
            const Letter* at[batch];
            Letter letters[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                at[u] = box + boundary.ghosts[min(entry + u, own.end - 1)] * k + j;
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) letters[u] = look_afar(at[u]);
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (entry + u >= own.end) continue;
                sum += boundary.values[entry + u] * static_cast<T>(await_afar(at[u], round, letters[u]));
            }
        }
        place = before + alpha * sum;
        sums[0] += static_cast<double>(weight) * static_cast<double>(alpha * sum);
    }
    // Whoever is last knows that all letters have been read.
    if (!grid_sum(sums, scratch)) return;
    *boundary.round = round;
    if (dot != nullptr) *dot = sums[0];
}

__global__ void meet_kernel(DeviceWorld* world) {
    begin_kernel();
    double nothing[1] = {};
    all_sum(WorldTurn(world), nothing);
}

}  // namespace

template <class T>
void send(Cuda& backend, DeviceMatrix<const T> x, const Index* sent, const Addresses& to, const unsigned* last_round) {
    launch(backend, send_kernel<T>, grid(backend, to.first[to.n] * x.n_cols), threads, "sending to other GPUs", x, sent,
           to, last_round);
}

template <class T, class Offset>
void finish(Cuda& backend, const Boundary<T, Offset>& boundary, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha,
            double* dot) {
    ReductionScratch scratch = backend.reduction();
    if (dot == nullptr) scratch.world = nullptr;
    launch(backend, finish_kernel<T, Offset>, grid(backend, boundary.n * x.n_cols), threads,
           "adding what other GPUs have", boundary, x, y, alpha, dot, scratch);
}

void meet(Cuda& backend) {
    launch(backend, meet_kernel, 1, warp_size, "meeting other GPUs", backend.reduction().world);
}

template void send(Cuda&, DeviceMatrix<const double>, const Index*, const Addresses&, const unsigned*);
template void finish(Cuda&, const Boundary<double, std::int32_t>&, DeviceMatrix<const double>, DeviceMatrix<double>,
                     double, double*);
template void finish(Cuda&, const Boundary<double, std::int64_t>&, DeviceMatrix<const double>, DeviceMatrix<double>,
                     double, double*);
template void send(Cuda&, DeviceMatrix<const float>, const Index*, const Addresses&, const unsigned*);
template void finish(Cuda&, const Boundary<float, std::int32_t>&, DeviceMatrix<const float>, DeviceMatrix<float>, float,
                     double*);
template void finish(Cuda&, const Boundary<float, std::int64_t>&, DeviceMatrix<const float>, DeviceMatrix<float>, float,
                     double*);

}  // namespace stiefel::cuda
