#pragma once

#include "stiefel/solver/cuda/resident_decision.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/spmv/cuda/compressed_product.cuh"

// The whole loop of CG in one cooperative kernel for systems of which the vectors, but not the matrix, fit into the
// multiprocessors: see set_resident.

namespace stiefel::cuda {

inline constexpr int streamed_threads = 512;

template <class T>
struct StreamedArguments {
    CompressedView<T> a;
    Index slices_of_block;
    const T* inverse_diagonal;  // null without preconditioner
    T* x;
    T* r;
    T* p;
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
};

/// What a block keeps of its slots, in shared memory. p stays in the caches, where others read it, as A does as far as
/// it fits.
template <class T>
struct StreamedBlock {
    T *q, *r, *x;

    __host__ __device__ StreamedBlock(SharedRoom& room, Index slices)
        : q(room.take<T>(slices * warp_size)),
          r(room.take<T>(slices * warp_size)),
          x(room.take<T>(slices * warp_size)) {}

    static Size bytes(Index slices) {
        SharedRoom room(nullptr);
        StreamedBlock(room, slices);
        return room.bytes();
    }
};

/// An iteration waits for all blocks twice: in its sums, as its directions are foreseen (cg_foreseen.hpp), and until
/// all have written their p.
template <bool shared_values, bool jacobi, class T>
__global__ void __launch_bounds__(streamed_threads, 1) streamed_kernel(StreamedArguments<T> s) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ ResidentDecision<T> decision;
    SharedRoom room(shared);
    const StreamedBlock<T> b(room, s.slices_of_block);
    const GridExchange& exchange = s.exchange;
    const Index first_slice = static_cast<Index>(blockIdx.x) * s.slices_of_block;
    const Index n_slices = max(0, min(s.slices_of_block, s.a.n_slices - first_slice));
    const Size first = Size{first_slice} * warp_size;
    const auto t = static_cast<Index>(threadIdx.x);
    const bool speaks_for_all = blockIdx.x == 0 && t == 0;
    const auto for_rows = [&](auto&& f) {
        for (Index i = t; i < n_slices * warp_size; i += streamed_threads) {
            if (const Index row = s.a.row(first + i); row < s.a.n_rows) f(i, row);
        }
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
        const T unit = decision.unit;
        double sums[n_resident_sums<jacobi>] = {};
        for (Index slice = t / warp_size; slice < n_slices; slice += streamed_threads / warp_size) {
            const CompressedSlice at = s.a.slices[first_slice + slice];
            const Index n_groups = at.n_groups;
            const Index i = slice * warp_size + t % warp_size;
            const T q = n_groups > 0 ? slice_product<shared_values, false>(s.a, at, n_groups, first + i, s.p) : T{0};
            b.q[i] = q;
            const Index row = s.a.row(first + i);
            if (row < s.a.n_rows) add_product(sums, s.p[row], q, b.r[i], m_of(row), unit);
        }
        sums[cg_sum::residual2] = left[0];
        if constexpr (jacobi) sums[cg_sum::rho] = left[1];
        exchange.sum<false>(sums, ++round, speaks_for_all && decision.wants_pause(s.loop),
                            [&](const auto& all, bool all_pause) { decision.take(all, all_pause, s.loop); });
        if (decision.stops) break;
        if (decision.pauses && decision.ends_at_pause(exchange, ++round, s.loop)) break;

        left[0] = left[1] = 0;
        for_rows([&](Index i, Index row) {
            const T p = s.p[row];
            const T r = step_down(b.r[i], decision.alpha, b.q[i]);
            const T z = m_of(row) * r;
            b.x[i] += decision.x_alpha * p;
            b.r[i] = r;
            s.p[row] = next_direction(z, decision.beta, p);
            left[0] += static_cast<double>(r) * static_cast<double>(r);
            if constexpr (jacobi) left[1] += static_cast<double>(r) * static_cast<double>(z);
        });
        double none[1] = {};
        exchange.sum<true>(none, ++round, false, [](const double(&)[1], bool) {});
    }

    for_rows([&](Index i, Index row) {
        s.r[row] = b.r[i];
        s.x[row] = b.x[i];
    });
    if (speaks_for_all) decision.end(*s.state);
}

}  // namespace stiefel::cuda
