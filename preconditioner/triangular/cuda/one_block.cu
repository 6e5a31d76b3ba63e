#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"
#include "stiefel/preconditioner/triangular/cuda/rows.cuh"

namespace stiefel::triangular {

namespace {

constexpr int block_threads = 640;
/// Results that shared memory holds, those computed last.
constexpr Index ring_places = 4096, ring_mask = ring_places - 1;
/// Entries of a row that are loaded ahead.
constexpr int held = 4;
static_assert(ring_places >= 2 * block_threads && (ring_places & ring_mask) == 0);

/// Where the row of a thread lies: loaded two windows ahead.
struct RowBounds {
    Size first = 0;
    Index length = 0;
    Index from = 0;

    template <class T>
    __device__ void load(const Rows<T>& a, Size place) {
        if (place >= a.n) return;
        first = a.start[place];
        length = static_cast<Index>(a.start[place + 1] - first);
        from = a.source_of[place];
    }
};

/// What the row consists of: loaded a window ahead.
template <class T>
struct HeldRow {
    RowBounds bounds;
    Index level = -1;
    Index first_level = 0, last_level = -1;  // of the window
    Index cols[held];
    T values[held];
    T rhs, inverse;

    __device__ void load(const Rows<T>& a, const Index* level_of, const RowBounds& of, Size base, Size place, Index c) {
        bounds = of;
        level = -1;
        if (base >= a.n) return;
        first_level = level_of[base];
        last_level = level_of[min(base + block_threads, Size{a.n}) - 1];
        if (place >= a.n) return;
        level = level_of[place];
        inverse = a.inverse[place];
        rhs = a.source[of.from * a.source_ld + c];
#pragma unroll
        for (int u = 0; u < held; ++u) {
            const bool inside = u < of.length;
            cols[u] = inside ? __ldg(a.cols + of.first + u) : 0;
            values[u] = inside ? __ldg(a.values + of.first + u) : T{0};
        }
    }
};

/// One block for a column, through all levels with a barrier after each. It takes windows of as many places as it has
/// threads. Shared memory holds the windows before as well; older results were stored long ago by this very block.
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
            old[u] = row.level >= 0 && u < row.bounds.length && row.cols[u] < oldest ? a.x[a.at(row.cols[u], c)] : T{0};
        }
        next.load(a, level_of, bounds, base + block_threads, place + block_threads, c);
        bounds.load(a, place + 2 * block_threads);
        for (Index level = row.first_level; level <= row.last_level; ++level) {
            if (row.level == level) {
                T sum = row.rhs;
#pragma unroll
                for (int u = 0; u < held; ++u) {
                    if (u >= row.bounds.length) continue;
                    const T x = row.cols[u] < oldest ? old[u] : ring[row.cols[u] & ring_mask];
                    sum -= row.values[u] * x;
                }
                for (Size e = row.bounds.first + held; e < row.bounds.first + row.bounds.length; ++e) {
                    const Index col = a.cols[e];
                    sum -= a.values[e] * (col < oldest ? a.x[a.at(col, c)] : ring[col & ring_mask]);
                }
                const T value = sum * row.inverse;
                ring[place & ring_mask] = value;
                const auto own = static_cast<Index>(place);
                a.x[a.at(own, c)] = value;
                a.store_result(own, c, value);
            }
            __syncthreads();
        }
    }
}

}  // namespace

template <class T>
void solve_in_one_block(Cuda& backend, const Substitution<T>& s) {
    launch(backend, one_block_kernel<T>, s.k, block_threads, "launching triangular one_block", Rows<T>(s),
           s.a->level.data());
}

template void solve_in_one_block(Cuda&, const Substitution<double>&);
template void solve_in_one_block(Cuda&, const Substitution<float>&);

}  // namespace stiefel::triangular
