#pragma once

#include "stiefel/solver/cuda/resident_decision.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/solver/cuda/streamed_boundary.cuh"
#include "stiefel/spmv/cuda/compressed_product.cuh"

// The whole loop of CG in one cooperative kernel for systems of which the vectors, or a good part of them, but not the
// matrix, fit into the multiprocessors: see set_resident. Of several GPUs each runs it with its rows.

namespace stiefel::cuda {

inline constexpr int streamed_threads = 512;
inline constexpr Index streamed_warps = streamed_threads / warp_size;

/// Others: NoOthers or OtherGpus.
template <class T, class Others>
struct StreamedArguments {
    CompressedView<T> a;
    StreamedRoom room;
    const T* inverse_diagonal;  // null without preconditioner
    T* x;
    T* r;
    T* p;
    T* q;  // A p, for rows of which it does not stay
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
    Others others;
};

/// A vector that no block reads but that whose rows it is of, which keeps the elements of its first slots in shared
/// memory. Others pass through the caches, where they are not to be in the way of p. all: all of them stay.
template <class T, bool all>
struct KeptVector {
    T* kept;
    T* vector;
    Index n_kept;

    __device__ KeptVector(SharedRoom& room, T* of_rows, Index slices)
        : kept(room.take<T>(Size{slices} * warp_size)), vector(of_rows), n_kept(slices * warp_size) {}

    /// Whether the element of the block's slot i stays.
    __device__ bool stays(Index i) const { return all || i < n_kept; }
    /// Of slot i, which holds that row.
    __device__ T get(Index i, Index row) const { return stays(i) ? kept[i] : __ldcs(vector + row); }
    __device__ void set(Index i, Index row, T value) const {
        if (stays(i)) {
            kept[i] = value;
        } else {
            __stcs(vector + row, value);
        }
    }
    __device__ void load(Index i, Index row) const {
        if (stays(i)) kept[i] = vector[row];
    }
    __device__ void store(Index i, Index row) const {
        if (stays(i)) vector[row] = kept[i];
    }
};

/// What a block keeps of its slots, in shared memory. p stays in the caches, where others read it, as A does as far as
/// it fits.
template <class T, bool all>
struct StreamedBlock {
    KeptVector<T, all> r, x, q;
    Index* slice_of;  // their numbers, where there are others

    template <class Others>
    __device__ StreamedBlock(SharedRoom& room, const StreamedArguments<T, Others>& s)
        : r(room, s.r, s.room.r),
          x(room, s.x, s.room.x),
          q(room, s.q, s.room.q),
          slice_of(room.take<Index>(Others::are_there ? s.room.slices_of_block : 0)) {}
};

/// An iteration waits for all blocks twice: in its sums, as its directions are foreseen (cg_foreseen.hpp), and until
/// all of a GPU have written their p. Memory is waited for by few warps, so what a slice or a row begins with is asked
/// for while another is under way. Rows go backwards as vectors are updated: first what the product has left in the
/// caches last, and last what the next one begins with. all_stay: no element of r, x and q passes through memory.
template <bool shared_values, bool jacobi, bool all_stay, class T, class Others>
__global__ void __launch_bounds__(streamed_threads, 1) streamed_kernel(StreamedArguments<T, Others> s) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ ResidentDecision<T> decision;
    SharedRoom room(shared);
    const StreamedBlock<T, all_stay> b(room, s);
    StreamedTalk<T, Others> talk(s.others, s.exchange, s.a.n_slices, s.room, b.slice_of);
    // Rows and groups of a thread at a time. What is spilled goes past the little that shared memory leaves of the
    // first-level cache: a dozen registers cost a fifth of an iteration.
    constexpr int batch = all_stay ? 4 : Others::are_there ? 2 : 3;
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
        b.r.load(i, row);
        b.x.load(i, row);
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
            const T passing_r = !all_stay && is_row ? b.r.get(i, row) : T{0};
            T q = n_groups > 0 ? slice_product<shared_values, false>(s.a, at, n_groups, slot, s.p) : T{0};
            if constexpr (Others::are_there) q += talk.template boundary_product<batch>(beyond);
            if (!is_row) continue;
            b.q.set(i, row, q);
            add_product(sums, p, q, all_stay ? b.r.kept[i] : passing_r, m, unit);
        }
        sums[cg_sum::residual2] = left[0];
        if constexpr (jacobi) sums[cg_sum::rho] = left[1];
        talk.exchange.template sum<false>(
            sums, ++round, speaks_for_all && decision.wants_pause,
            [&](const auto& all, bool all_pause) { decision.take(all, all_pause, s.loop); });
        if (decision.stops) break;
        if (decision.pauses && decision.ends_at_pause(talk.exchange, ++round, s.loop)) break;

        left[0] = left[1] = 0;
        constexpr Index stride = batch * streamed_threads;
        for (Index first = (n_slots - 1) / stride * stride + t; first >= 0; first -= stride) {
            Index row[batch];
            T p[batch], m[batch], q[batch], r[batch], x[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                const Index i = first + u * streamed_threads;
                row[u] = row_of(i);
                if (row[u] >= s.a.n_rows) continue;
                p[u] = s.p[row[u]];
                m[u] = m_of(row[u]);
                if (all_stay) continue;
                q[u] = b.q.get(i, row[u]);
                r[u] = b.r.get(i, row[u]);
                x[u] = b.x.get(i, row[u]);
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (row[u] >= s.a.n_rows) continue;
                const Index i = first + u * streamed_threads;
                const T r_now = step_down(all_stay ? b.r.kept[i] : r[u], decision.alpha, all_stay ? b.q.kept[i] : q[u]);
                const T z = m[u] * r_now;
                b.x.set(i, row[u], (all_stay ? b.x.kept[i] : x[u]) + decision.x_alpha * p[u]);
                b.r.set(i, row[u], r_now);
                s.p[row[u]] = next_direction(z, decision.beta, p[u]);
                left[0] += static_cast<double>(r_now) * static_cast<double>(r_now);
                if constexpr (jacobi) left[1] += static_cast<double>(r_now) * static_cast<double>(z);
            }
        }
        talk.meet_on_device(++round);
    }

    for_rows([&](Index i, Index row) {
        b.r.store(i, row);
        b.x.store(i, row);
    });
    talk.tell_waits();
    if (speaks_for_all) {
        decision.end(*s.state);
        if (runs) talk.end();
    }
}

}  // namespace stiefel::cuda
