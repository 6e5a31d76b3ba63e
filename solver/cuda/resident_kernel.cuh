#pragma once

#include "stiefel/solver/cuda/posted_elements.cuh"
#include "stiefel/solver/cuda/resident_decision.cuh"
#include "stiefel/solver/cuda/resident_plan.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/solver/cuda/strip.cuh"

// The whole loop of CG in one cooperative kernel: see set_resident.

namespace stiefel::cuda {

template <class T>
struct ResidentArguments {
    Index n_rows, slots, total_slots, max_halo, max_entries;
    int lanes;
    const Index* row;
    const Index* start;
    const Size* base;
    const Index* col;
    const T* value;
    const Index* n_halo;
    const Index* halo;
    const T* inverse_diagonal;  // null without preconditioner
    T* x;
    T* r;
    T* p;
    void* q;  // A p, by row, for neighbours, of an iteration and of the one before: the layout's elements
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
};

/// How the kernel is laid out. A strip is a row's every lanes-th entry; a thread has `strips` of them and keeps the
/// first `kept` entries of each in registers. Few threads with much in registers are fastest: shuffles and barriers
/// cost by the warp. Shared memory alone carries more rows, so many that their letters would cost more than a fence (an
/// iteration of a 5-point system of 250 000 rows 11.0 us instead of 8.9, of 90 000, in registers, 6.3 instead of 7.0).
struct InRegisters {
    static constexpr int threads = 256, strips = 4, kept = 8;
    template <class T>
    using Elements = SealedElements;
};
template <int n>
struct InSharedMemory {
    static constexpr int threads = 1024, strips = n, kept = 0;
    template <class T>
    using Elements = PlainElements<T>;
};
using MostRows = InSharedMemory<3>;

/// A block's part of the system, in shared memory. Of the halo it keeps p and r up to date by itself, by the same
/// operations as the blocks that own its rows, and so to the bit.
template <class Layout, class T>
struct ResidentBlock {
    T* value;
    T* p;  // own rows, then the halo
    T *halo_r, *halo_m;
    T* halo_q;  // where it is heard before it is used
    Index* col;
    Index* halo;

    /// sizes: the arguments of the kernel, or the plan.
    template <class Sizes>
    __host__ __device__ ResidentBlock(SharedRoom& room, const Sizes& sizes)
        : value(room.take<T>(sizes.max_entries)),
          p(room.take<T>(sizes.slots + sizes.max_halo)),
          halo_r(room.take<T>(sizes.max_halo)),
          halo_m(room.take<T>(sizes.max_halo)),
          halo_q(room.take<T>(Layout::template Elements<T>::are_published ? 0 : sizes.max_halo)),
          col(room.take<Index>(sizes.max_entries)),
          halo(room.take<Index>(sizes.max_halo)) {}

    static Size bytes(const ResidentPlan<T>& plan) {
        SharedRoom room(nullptr);
        ResidentBlock(room, plan);
        return room.bytes();
    }
};

/// What a thread keeps of one strip. All lanes of a row keep the same vector elements; the first speaks for it.
template <class T, int kept>
struct Strip {
    Index slot;  // in the block
    Index row;   // n_rows where there is none
    Index rest, end;
    bool speaks;
    T x, r, p, q, m;
    T value[kept > 0 ? kept : 1];
    Index col[kept > 0 ? kept : 1];
};

template <class Layout, class T>
__device__ void load_strip(Strip<T, Layout::kept>& s, const ResidentArguments<T>& a, const ResidentBlock<Layout, T>& b,
                           Index number, Index first, Index n) {
    const Index lane = number % a.lanes;
    const Index slot = number / a.lanes;
    const bool there = slot < n;
    s.slot = there ? slot : 0;
    s.row = there ? a.row[first + slot] : a.n_rows;
    s.speaks = s.row < a.n_rows && lane == 0;
    const Index* const start = a.start + blockIdx.x * (a.slots + 1);
    const Index begin = there ? start[slot] + lane : 0;
    s.end = there ? start[slot + 1] : 0;
    const bool used = s.row < a.n_rows;
    s.x = used ? a.x[s.row] : T{0};
    s.r = used ? a.r[s.row] : T{0};
    s.p = used ? a.p[s.row] : T{0};
    s.m = used && a.inverse_diagonal != nullptr ? a.inverse_diagonal[s.row] : T{1};
    if (there && lane == 0) b.p[slot] = s.p;
#pragma unroll
    for (int j = 0; j < Layout::kept; ++j) {
        const Index e = begin + j * a.lanes;
        s.value[j] = e < s.end ? b.value[e] : T{0};
        s.col[j] = e < s.end ? b.col[e] : s.slot;
    }
    s.rest = begin + Layout::kept * a.lanes;
}

/// s.q = the row of s times p.
template <class Layout, class T>
__device__ void multiply(Strip<T, Layout::kept>& s, const ResidentBlock<Layout, T>& b, int lanes) {
    T sum = 0;
#pragma unroll
    for (int j = 0; j < Layout::kept; ++j) sum += s.value[j] * b.p[s.col[j]];
    if constexpr (Layout::kept > 0) {
        sum = add_strip(sum, b.value, b.col, b.p, s.rest, s.end, lanes, s.slot);
    } else {
#pragma unroll 4
        for (Index e = s.rest; e < s.end; e += lanes) sum += b.value[e] * b.p[b.col[e]];
    }
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
    s.q = sum;
}

/// An iteration waits for all blocks once, as its directions are foreseen (cg_foreseen.hpp).
template <class Layout, bool jacobi, class T>
__global__ void __launch_bounds__(Layout::threads, 1) resident_kernel(ResidentArguments<T> a) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ ResidentDecision<T> decision;
    constexpr int threads = Layout::threads;
    using Elements = typename Layout::template Elements<T>;
    const Elements posted{static_cast<decltype(Elements::posted)>(a.q)};
    const GridExchange& exchange = a.exchange;
    SharedRoom room(shared);
    const ResidentBlock<Layout, T> b(room, a);
    const Index first = static_cast<Index>(blockIdx.x) * a.slots;
    const Index n = min(a.slots, a.total_slots - first);
    const Index halo = a.n_halo[blockIdx.x];
    const Index t = static_cast<Index>(threadIdx.x);

    const Index entries = a.start[blockIdx.x * (a.slots + 1) + n];
    for (Index e = t; e < entries; e += threads) {
        b.value[e] = a.value[a.base[blockIdx.x] + e];
        b.col[e] = a.col[a.base[blockIdx.x] + e];
    }
    for (Index i = t; i < halo; i += threads) {
        const Index row = a.halo[Size{blockIdx.x} * resident_rows + i];
        b.halo[i] = row;
        b.p[n + i] = a.p[row];
        b.halo_r[i] = a.r[row];
        if (jacobi) b.halo_m[i] = a.inverse_diagonal[row];
    }
    __syncthreads();
    Strip<T, Layout::kept> strips[Layout::strips];
#pragma unroll
    for (int k = 0; k < Layout::strips; ++k) load_strip<Layout>(strips[k], a, b, t + k * threads, first, n);
    const bool speaks_for_all = blockIdx.x == 0 && t == 0;
    if (t == 0) decision.begin(*a.state, a.loop);
    unsigned round = 0;
    bool is_odd = false;
    double left[2] = {};  // of the residual, by this thread: <r, r>, <r, M r>
    const bool runs = a.state->reason == StopReason::running;
    __syncthreads();

    while (runs) {  // until thread 0 decides otherwise
        ++round;
        is_odd = !is_odd;
        const Index place = is_odd ? a.n_rows : 0;  // others may still read what was posted last
        const T unit = decision.unit;
        double sums[n_resident_sums<jacobi>] = {};
#pragma unroll
        for (auto& s : strips) {
            multiply<Layout>(s, b, a.lanes);
            if (!s.speaks) continue;
            if (gridDim.x > 1) posted.post(place + s.row, s.q, round);
            add_product(sums, s.p, s.q, s.r, s.m, unit);
        }
        sums[cg_sum::residual2] = left[0];
        if constexpr (jacobi) sums[cg_sum::rho] = left[1];
        const auto hear = [&](int thread, int of_threads, auto&& take) {
            posted.hear(
                thread, of_threads, round, halo, [&](Index i) { return place + b.halo[i]; }, take);
        };
        exchange.sum<Elements::are_published>(
            sums, round, speaks_for_all && decision.wants_pause,
            [&](const auto& all, bool all_pause) { decision.take(all, all_pause, a.loop); },
            [&](int thread, int of_threads) {
                if constexpr (!Elements::are_published) {
                    hear(thread, of_threads, [&](Index i, T q) { b.halo_q[i] = q; });
                }
            });
        if (decision.stops) break;
        if (decision.pauses && decision.ends_at_pause(exchange, ++round, a.loop)) break;

        const T alpha = decision.alpha;
        const T x_alpha = decision.x_alpha;
        const T beta = decision.beta;
        const auto step_of_halo = [&](Index i, T q) {
            const T r = step_down(b.halo_r[i], alpha, q);
            b.halo_r[i] = r;
            b.p[n + i] = next_direction(jacobi ? b.halo_m[i] * r : r, beta, b.p[n + i]);
        };
        if constexpr (Elements::are_published) {
            hear(t, threads, step_of_halo);
        } else {
            for (Index i = t; i < halo; i += threads) step_of_halo(i, b.halo_q[i]);
        }
        left[0] = left[1] = 0;
#pragma unroll
        for (auto& s : strips) {
            s.x += x_alpha * s.p;
            s.r = step_down(s.r, alpha, s.q);
            const T z = jacobi ? s.m * s.r : s.r;
            s.p = next_direction(z, beta, s.p);
            if (!s.speaks) continue;
            b.p[s.slot] = s.p;
            left[0] += static_cast<double>(s.r) * static_cast<double>(s.r);
            if constexpr (jacobi) left[1] += static_cast<double>(s.r) * static_cast<double>(z);
        }
        __syncthreads();
    }

    for (const auto& s : strips) {
        if (!s.speaks) continue;
        a.x[s.row] = s.x;
        a.r[s.row] = s.r;
        a.p[s.row] = s.p;
    }
    if (speaks_for_all) decision.end(*a.state);
}

}  // namespace stiefel::cuda
