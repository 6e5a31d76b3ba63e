#pragma once

#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/solver/cg_state.hpp"
#include "stiefel/solver/cuda/grid_exchange.cuh"
#include "stiefel/solver/cuda/posted_elements.cuh"
#include "stiefel/solver/cuda/resident_plan.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/solver/cuda/verdict.cuh"

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
    void* z;  // M r, by row, for neighbours: the layout's elements, room for letters
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

/// A block's part of the system, in shared memory.
template <class T>
struct ResidentBlock {
    T* value;
    T* p;  // own rows, then the halo
    Index* col;
    Index* halo;

    /// sizes: the arguments of the kernel, or the plan.
    template <class Sizes>
    __host__ __device__ ResidentBlock(SharedRoom& room, const Sizes& sizes)
        : value(room.take<T>(sizes.max_entries)),
          p(room.take<T>(sizes.slots + sizes.max_halo)),
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
__device__ void load_strip(Strip<T, Layout::kept>& s, const ResidentArguments<T>& a, const ResidentBlock<T>& b,
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
__device__ void multiply(Strip<T, Layout::kept>& s, const ResidentBlock<T>& b, int lanes) {
    T sum = 0;
#pragma unroll
    for (int j = 0; j < Layout::kept; ++j) sum += s.value[j] * b.p[s.col[j]];
#pragma unroll 4
    for (Index e = s.rest; e < s.end; e += lanes) sum += b.value[e] * b.p[b.col[e]];
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
    s.q = sum;
}

template <class Layout, bool jacobi, class T>
__global__ void __launch_bounds__(Layout::threads, 1) resident_kernel(ResidentArguments<T> a) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ Verdict<T> verdict;
    constexpr int threads = Layout::threads;
    using Elements = typename Layout::template Elements<T>;
    const Elements posted{static_cast<decltype(Elements::posted)>(a.z)};
    const GridExchange& exchange = a.exchange;
    SharedRoom room(shared);
    const ResidentBlock<T> b(room, a);
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
        b.halo[i] = a.halo[Size{blockIdx.x} * resident_rows + i];
        b.p[n + i] = a.p[b.halo[i]];
    }
    __syncthreads();
    Strip<T, Layout::kept> strips[Layout::strips];
#pragma unroll
    for (int k = 0; k < Layout::strips; ++k) load_strip<Layout>(strips[k], a, b, t + k * threads, first, n);
    CgState state = *a.state;
    if (blockIdx.x != 0) state.coefficients = nullptr;  // one block speaks for all
    Size window_end = a.loop.control->window_end;       // for the one thread that looks after it
    auto at_window_end = AtWindowEnd::goes_on;
    unsigned round = 0;
    const bool runs = state.reason == StopReason::running;
    __syncthreads();

    while (runs) {  // until thread 0 decides otherwise
        double curvature[1] = {};
#pragma unroll
        for (auto& s : strips) {
            multiply<Layout>(s, b, a.lanes);
            if (s.speaks) curvature[0] += static_cast<double>(s.p) * static_cast<double>(s.q);
        }
        const bool ends_here = at_window_end != AtWindowEnd::goes_on;
        exchange.sum<false>(curvature, ++round, ends_here, [&](const double(&sums)[1], bool ends) {
            if (!ends) {
                state.curvature = sums[0];
                state.reason = cg_check_curvature(state);
            }
            verdict.stop = ends || state.reason != StopReason::running;
            verdict.alpha = static_cast<T>(cg_step_length(state));
            verdict.x_alpha = static_cast<T>(cg_step_length(state) * state.x_unit);
        });
        if (verdict.stop) break;

        const T alpha = verdict.alpha;
        const T x_alpha = verdict.x_alpha;
        double sums[jacobi ? 2 : 1] = {};
        ++round;
#pragma unroll
        for (auto& s : strips) {
            s.x += x_alpha * s.p;
            s.r -= alpha * s.q;
            if (!s.speaks) continue;
            const T z = jacobi ? s.m * s.r : s.r;
            if (gridDim.x > 1) posted.post(s.row, z, round);
            sums[0] += static_cast<double>(s.r) * static_cast<double>(s.r);
            if constexpr (jacobi) sums[1] += static_cast<double>(s.r) * static_cast<double>(z);
        }
        const bool asks = blockIdx.x == 0 && t == 0 && state.iteration % ask_stride == 0;
        const int end_as = asks ? loop_end_asked(a.loop) : 0;
        exchange.sum<Elements::are_published>(
            sums, round, end_as != 0, [&](const double(&all)[jacobi ? 2 : 1], bool end_asked) {
                cg_decide(state, all[0], all[jacobi ? 1 : 0]);
                if (blockIdx.x == 0) loop_report(a.loop, state.iteration, state.residual2);
                cg_end_asked(state, end_as);  // of block 0, whose state is the one that stays
                verdict.stop = end_asked || state.reason != StopReason::running;
                verdict.beta = static_cast<T>(state.beta);
                // The other blocks learn what comes of it with the next sum.
                if (blockIdx.x != 0 || verdict.stop || state.iteration < window_end) return;
                int asked = 0;
                at_window_end = loop_await(a.loop, window_end, asked);
                if (at_window_end == AtWindowEnd::ends) state.reason = static_cast<StopReason>(asked);
            });
        if (verdict.stop) break;

        const T beta = verdict.beta;
        posted.template hear<threads>(
            round, halo, [&](Index i) { return b.halo[i]; }, [&](Index i, T z) { b.p[n + i] = z + beta * b.p[n + i]; });
#pragma unroll
        for (auto& s : strips) {
            s.p = (jacobi ? s.m * s.r : s.r) + beta * s.p;
            if (s.speaks) b.p[s.slot] = s.p;
        }
        __syncthreads();
    }

    for (const auto& s : strips) {
        if (!s.speaks) continue;
        a.x[s.row] = s.x;
        a.r[s.row] = s.r;
        a.p[s.row] = s.p;
    }
    if (blockIdx.x == 0 && t == 0) {
        state.x_is_behind = false;  // here x does not wait for the direction
        *a.state = state;
    }
}

}  // namespace stiefel::cuda
