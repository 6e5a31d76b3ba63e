#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"
#include "stiefel/preconditioner/triangular/cuda/rows.cuh"
#include "stiefel/preconditioner/triangular/cuda/turns.cuh"

#include <algorithm>

namespace stiefel::triangular {

namespace {

constexpr int sync_free_threads = 256;
constexpr int sync_free_blocks = 4;  ///< of a multiprocessor

__device__ bool is_set(const unsigned* flag) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value != 0;
}

__device__ void set(unsigned* flag) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1u) : "memory");
}

/// A warp a row: a lane waits for the flag of each x that it multiplies with.
template <class T>
__global__ void __launch_bounds__(sync_free_threads) sync_free_kernel(Rows<T> a, unsigned* is_ready, unsigned* taken) {
    begin_kernel();
    const Index lane = static_cast<Index>(threadIdx.x) % warp_size;
    const auto n = static_cast<unsigned>(a.n);
    Turns turns(taken, n);
    for (unsigned turn = turns.next(n); turn < n; turn = turns.next(n)) {
        const auto place = static_cast<Index>(turn);
        const Size end = a.start[place + 1];
        for (Index c = 0; c < a.k; ++c) {
            T sum = 0;
            for (Size e = a.start[place] + lane; e < end; e += warp_size) {
                const Index col = a.cols[e];
                while (!is_set(is_ready + col)) {
                }
                sum += a.values[e] * a.x[a.at(col, c)];
            }
            sum = lanes_sum(sum);
            if (lane != 0) continue;
            const T value = a.rhs(place, c) - sum;
            a.x[a.at(place, c)] = value;
            a.store_result(place, c, value);
        }
        if (lane == 0) set(is_ready + place);
    }
}

}  // namespace

template <class T>
void solve_sync_free(Cuda& backend, const Substitution<T>& s) {
    constexpr int warps = sync_free_threads / warp_size;
    const int blocks = std::min((s.a->n_rows() - 1) / warps + 1, sync_free_blocks * backend.device().multiprocessors);
    launch(backend, sync_free_kernel<T>, blocks, sync_free_threads, "launching triangular sync_free", Rows<T>(s),
           s.is_ready, s.taken);
}

template void solve_sync_free(Cuda&, const Substitution<double>&);
template void solve_sync_free(Cuda&, const Substitution<float>&);

}  // namespace stiefel::triangular
