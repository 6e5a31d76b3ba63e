#pragma once

#include "stiefel/solver/cuda/resident_decision.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/solver/cuda/streamed_boundary.cuh"
#include "stiefel/spmv/cuda/compressed_product.cuh"

// The whole loop of CG in one cooperative kernel for systems of which the vectors, but not the matrix, fit into the
// multiprocessors: see set_resident. Of several GPUs each runs it with its rows.

namespace stiefel::cuda {

inline constexpr int streamed_threads = 512;
inline constexpr Index streamed_warps = streamed_threads / warp_size;

/// Others: NoOthers or OtherGpus.
template <class T, class Others>
struct StreamedArguments {
    CompressedView<T> a;
    Index slices_of_block;      // at most
    const T* inverse_diagonal;  // null without preconditioner
    T* x;
    T* r;
    T* p;
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
    Others others;
};

/// What a block keeps of its slots, in shared memory. p stays in the caches, where others read it, as A does as far as
/// it fits.
template <class T>
struct StreamedBlock {
    T *q, *r, *x;
    Index* slice_of;  // their numbers, where there are others

    __host__ __device__ StreamedBlock(SharedRoom& room, Index slices, bool has_others)
        : q(room.take<T>(slices * warp_size)),
          r(room.take<T>(slices * warp_size)),
          x(room.take<T>(slices * warp_size)),
          slice_of(room.take<Index>(has_others ? slices : 0)) {}

    static Size bytes(Index slices, bool has_others) {
        SharedRoom room(nullptr);
        StreamedBlock(room, slices, has_others);
        return room.bytes();
    }
};

/// An iteration waits for all blocks twice: in its sums, as its directions are foreseen (cg_foreseen.hpp), and until
/// all of a GPU have written their p. Memory is waited for by few warps, so what a slice or a row begins with is asked
/// for while another is under way.
template <bool shared_values, bool jacobi, class T, class Others>
__global__ void __launch_bounds__(streamed_threads, 1) streamed_kernel(StreamedArguments<T, Others> s) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ ResidentDecision<T> decision;
    SharedRoom room(shared);
    const StreamedBlock<T> b(room, s.slices_of_block, Others::are_there);
    StreamedTalk<T, Others> talk(s.others, s.exchange, s.a.n_slices, s.slices_of_block, b.slice_of);
    const auto t = static_cast<Index>(threadIdx.x), lane = t % warp_size, warp = t / warp_size;
    const Index n_slots = talk.n_slices * warp_size;
    const bool speaks_for_all = blockIdx.x == 0 && t == 0;
    const auto slot_of = [&](Index slice) { return static_cast<unsigned>(slice * warp_size + lane); };
    // Of a slot of the block; n_rows where there is none.
    const auto row_of = [&](Index i) { return i < n_slots ? s.a.row(slot_of(talk.slice(i / warp_size))) : s.a.n_rows; };
    const auto for_rows = [&](auto&& f) {
        for (Index i = t; i < n_slots; i += streamed_threads) {
            if (const Index row = row_of(i); row < s.a.n_rows) f(i, row);
        }
    };
    const auto header = [&](Index place) {
        return place < talk.n_slices ? SliceAhead(s.a.slices + talk.slice(place)) : SliceAhead();
    };
    const auto m_of = [&](Index row) { return jacobi ? s.inverse_diagonal[row] : T{1}; };

    for_rows([&](Index i, Index row) {
        b.r[i] = s.r[row];
        b.x[i] = s.x[row];
    });
    if (t == 0) decision.begin(*s.state, s.loop);
    unsigned round = 0;
    double left[2] = {};  // of the residual, by this thread: <r, r>, <r, M r>
    const bool runs = s.state->reason == StopReason::running;
    __syncthreads();

    while (runs) {  // until thread 0 decides otherwise
        talk.send(s.p);
        const T unit = decision.unit;
        double sums[n_resident_sums<jacobi>] = {};
        SliceAhead next = header(warp);
        for (Index place = warp; place < talk.n_slices; place += streamed_warps) {
            const CompressedSlice at = next.now();
            next = header(place + streamed_warps);
            const Index n_groups = at.n_groups;
            const Index i = place * warp_size + lane;
            const unsigned slot = slot_of(talk.slice(place));
            const BoundaryGroups beyond = talk.groups(place);
            const Index row = s.a.row(slot);
            const bool is_row = row < s.a.n_rows;
            const T p = is_row ? s.p[row] : T{0}, m = is_row ? m_of(row) : T{0};
            T q = n_groups > 0 ? slice_product<shared_values, false>(s.a, at, n_groups, slot, s.p) : T{0};
            if constexpr (Others::are_there) q += talk.boundary_product(beyond);
            b.q[i] = q;
            if (is_row) add_product(sums, p, q, b.r[i], m, unit);
        }
        sums[cg_sum::residual2] = left[0];
        if constexpr (jacobi) sums[cg_sum::rho] = left[1];
        talk.exchange.template sum<false>(
            sums, ++round, speaks_for_all && decision.wants_pause,
            [&](const auto& all, bool all_pause) { decision.take(all, all_pause, s.loop); });
        if (decision.stops) break;
        if (decision.pauses && decision.ends_at_pause(talk.exchange, ++round, s.loop)) break;

        left[0] = left[1] = 0;
        constexpr int batch = 4;
        for (Index first = t; first < n_slots; first += batch * streamed_threads) {
            Index row[batch];
            T p[batch], m[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                row[u] = row_of(first + u * streamed_threads);
                if (row[u] >= s.a.n_rows) continue;
                p[u] = s.p[row[u]];
                m[u] = m_of(row[u]);
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (row[u] >= s.a.n_rows) continue;
                const Index i = first + u * streamed_threads;
                const T r = step_down(b.r[i], decision.alpha, b.q[i]);
                const T z = m[u] * r;
                b.x[i] += decision.x_alpha * p[u];
                b.r[i] = r;
                s.p[row[u]] = next_direction(z, decision.beta, p[u]);
                left[0] += static_cast<double>(r) * static_cast<double>(r);
                if constexpr (jacobi) left[1] += static_cast<double>(r) * static_cast<double>(z);
            }
        }
        talk.meet_on_device(++round);
    }

    for_rows([&](Index i, Index row) {
        s.r[row] = b.r[i];
        s.x[row] = b.x[i];
    });
    talk.tell_waits();
    if (speaks_for_all) {
        decision.end(*s.state);
        if (runs) talk.end();
    }
}

}  // namespace stiefel::cuda
