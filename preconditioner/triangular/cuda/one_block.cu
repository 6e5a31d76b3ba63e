#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"
#include "stiefel/preconditioner/triangular/cuda/rows.cuh"

#include <algorithm>

namespace stiefel::triangular {

namespace {

constexpr int block_threads = 640;
/// Results that shared memory holds, those computed last.
constexpr Index ring_places = 4096, ring_mask = ring_places - 1;
/// Entries of a row that are loaded ahead.
constexpr int held = 4;
static_assert(ring_places >= 2 * block_threads && (ring_places & ring_mask) == 0);

/// x = the right-hand side over the diagonal, by places.
template <class T>
__global__ void gather_kernel(Rows<T> a) {
    begin_kernel();
    for (Size item = Size{blockIdx.x} * blockDim.x + threadIdx.x; item < a.n_elements();
         item += Size{gridDim.x} * blockDim.x) {
        a.x[item] = a.rhs(static_cast<Index>(item / a.k), static_cast<Index>(item % a.k));
    }
}

/// From places to rows.
template <class T>
__global__ void scatter_kernel(Rows<T> a) {
    begin_kernel();
    for (Size item = Size{blockIdx.x} * blockDim.x + threadIdx.x; item < a.n_elements();
         item += Size{gridDim.x} * blockDim.x) {
        a.store_result(static_cast<Index>(item / a.k), static_cast<Index>(item % a.k), a.x[item]);
    }
}

/// Where the entries of a thread's row lie: loaded two windows ahead.
struct RowBounds {
    Size first = 0;
    Index length = 0;

    template <class T>
    __device__ void load(const Rows<T>& a, Size place) {
        if (place >= a.n) return;
        first = a.start[place];
        length = static_cast<Index>(a.start[place + 1] - first);
    }
};

/// What a thread's row consists of: loaded a window ahead.
template <class T>
struct HeldRow {
    RowBounds bounds;
    Index level = -1;
    Index first_level = 0, last_level = -1;  // of the window
    Index cols[held];
    T values[held];
    T rhs;

    __device__ void load(const Rows<T>& a, const Index* level_of, const RowBounds& of, Size base, Size place, Index c) {
        bounds = of;
        level = -1;
        if (base >= a.n) return;
        first_level = level_of[base];
        last_level = level_of[min(base + block_threads, Size{a.n}) - 1];
        if (place >= a.n) return;
        level = level_of[place];
        rhs = a.x[place * a.k + c];
#pragma unroll
        for (int u = 0; u < held; ++u) {
            const bool inside = u < of.length;
            cols[u] = inside ? __ldg(a.cols + of.first + u) : 0;
            values[u] = inside ? __ldg(a.values + of.first + u) : T{0};
        }
    }
};

/// One block for a column, through all levels with a barrier after each: x from what gather_kernel has left there. It
/// takes windows of as many places as it has threads. Shared memory holds the windows before as well; older results
/// were stored long ago by this very block.
template <class T>
__global__ void __launch_bounds__(block_threads) one_block_kernel(Rows<T> a, const Index* level_of) {
    __shared__ T ring[ring_places];
    begin_kernel();
    const auto thread = static_cast<Index>(threadIdx.x), c = static_cast<Index>(blockIdx.x);
    RowBounds bounds;
    HeldRow<T> next;
    bounds.load(a, thread);
    next.load(a, level_of, bounds, 0, thread, c);
    bounds.load(a, Size{thread} + block_threads);
    for (Size base = 0; base < a.n; base += block_threads) {
        const HeldRow<T> row = next;
        const Size place = base + thread;
        const Size oldest = base + block_threads - ring_places;  // in the ring, while this window is filled
        T old[held];
#pragma unroll
        for (int u = 0; u < held; ++u) {
            const bool is_old = row.level >= 0 && u < row.bounds.length && row.cols[u] < oldest;
            old[u] = is_old ? a.x[a.at(row.cols[u], c)] : T{0};
        }
        next.load(a, level_of, bounds, base + block_threads, place + block_threads, c);
        bounds.load(a, place + 2 * block_threads);
        for (Index level = row.first_level; level <= row.last_level; ++level) {
            if (row.level == level) {
                T sum = row.rhs;
#pragma unroll
                for (int u = 0; u < held; ++u) {
                    if (u >= row.bounds.length) continue;
                    sum -= row.values[u] * (row.cols[u] < oldest ? old[u] : ring[row.cols[u] & ring_mask]);
                }
                for (Size e = row.bounds.first + held; e < row.bounds.first + row.bounds.length; ++e) {
                    const Index col = a.cols[e];
                    sum -= a.values[e] * (col < oldest ? a.x[a.at(col, c)] : ring[col & ring_mask]);
                }
                ring[place & ring_mask] = sum;
                a.x[place * a.k + c] = sum;
            }
            __syncthreads();
        }
    }
}

}  // namespace

template <class T>
void solve_in_one_block(Cuda& backend, const Substitution<T>& s) {
    constexpr int threads = 256;
    const Rows<T> rows(s);
    const auto blocks = static_cast<int>(std::min<Size>((rows.n_elements() + threads - 1) / threads, 1 << 14));
    launch(backend, gather_kernel<T>, blocks, threads, "launching triangular one_block", rows);
    launch(backend, one_block_kernel<T>, s.k, block_threads, "launching triangular one_block", rows, s.a->level.data());
    if (s.result == nullptr) return;
    launch(backend, scatter_kernel<T>, blocks, threads, "launching triangular one_block", rows);
}

template void solve_in_one_block(Cuda&, const Substitution<double>&);
template void solve_in_one_block(Cuda&, const Substitution<float>&);

}  // namespace stiefel::triangular
