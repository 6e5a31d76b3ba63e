#include "stiefel/core/peak_flops.hpp"

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/cuda/launch.cuh"

#include <algorithm>
#include <limits>

namespace stiefel {

namespace {

constexpr int peak_threads = 256;    // of a block
constexpr int peak_blocks_each = 8;  // of a multiprocessor: as many threads as it holds
constexpr int peak_chains = 8;       // of a thread, so that the units never wait for a result
constexpr int peak_rounds = 2048;

/// x = factor x + addend in all lanes. With 1/2 and 1 these end at 2 exactly; counts the threads where they do not.
template <class T>
__global__ void __launch_bounds__(peak_threads) multiply_add_kernel(T factor, T addend, int* n_wrong) {
    T x[peak_chains];
#pragma unroll
    for (int chain = 0; chain < peak_chains; ++chain) x[chain] = static_cast<T>(static_cast<int>(threadIdx.x) + chain);
#pragma unroll 8
    for (int round = 0; round < peak_rounds; ++round) {
#pragma unroll
        for (int chain = 0; chain < peak_chains; ++chain) x[chain] = fma(x[chain], factor, addend);
    }
    T sum = 0;
#pragma unroll
    for (int chain = 0; chain < peak_chains; ++chain) sum += x[chain];
    if (sum != static_cast<T>(2 * peak_chains)) atomicAdd(n_wrong, 1);
}

}  // namespace

template <class T>
double peak_flops(const Cuda& backend) {
    const int blocks = backend.device().multiprocessors * peak_blocks_each;
    DeviceVector<int> n_wrong(backend, 1);
    backend.zero_bytes(n_wrong.data(), n_wrong.bytes());
    double best = std::numeric_limits<double>::max();
    for (int pass = 0; pass < 6; ++pass) {
        CudaEvent start, stop;
        start.record(backend);
        launch_as(backend, multiply_add_kernel<T>, {.blocks = blocks, .threads = peak_threads, .waits_for_all = true},
                  "measuring multiply-adds", T{0.5}, T{1}, n_wrong.data());
        stop.record(backend);
        best = std::min(best, stop.seconds_since(start));
    }
    // The sums are used, so that the work cannot be optimised away.
    int wrong = 0;
    backend.copy_bytes(&wrong, n_wrong.data(), n_wrong.bytes());
    backend.synchronize();
    if (wrong > 0) throw Error("peak_flops: the device computed wrong sums");
    return 2.0 * peak_rounds * peak_chains * peak_threads * blocks / best;
}

template double peak_flops<double>(const Cuda&);
template double peak_flops<float>(const Cuda&);

}  // namespace stiefel
