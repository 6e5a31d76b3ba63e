#pragma once

#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/solver/cg_state.hpp"
#include "stiefel/solver/cuda/grid_exchange.cuh"
#include "stiefel/solver/cuda/posted_elements.cuh"
#include "stiefel/solver/cuda/resident_plan.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/solver/cuda/verdict.cuh"

#include <cstdint>
#include <type_traits>

// The whole loop of CG with M = U L, or M = L, in one cooperative kernel: see set_factored.

namespace stiefel::cuda {

/// One of the matrices, as its plan spreads it over the blocks; where M has no U all of that is null or 0.
template <class T>
struct FactoredMatrix {
    const Index* start;
    const Size* base;
    const Index* col;
    const T* value;
    const Index* n_halo;
    const Index* halo;
    Index max_halo, max_entries;
    Index lanes;     ///< threads of a row
    bool is_shared;  ///< blocks copy their entries into shared memory
};

template <class T>
struct FactoredArguments {
    Index n_rows, rows_of_block;
    FactoredMatrix<T> a, lower, upper;
    T* x;
    T* r;
    T* p;
    SealedElements q;  // for neighbours: A p,
    SealedElements w;  // L r, where that is not yet M r,
    SealedElements z;  // M r; each is read before the next sum and written again after another
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
};

/// Fewer threads with more in registers are faster than all that a block can have: shuffles and barriers cost by the
/// warp.
inline constexpr int factored_threads = 512;

/// Entries of each matrix that a thread keeps in registers: the first ones of its first row.
inline constexpr int factored_kept = 6;

/// A block's vectors in shared memory: its own rows, then those of a halo.
template <class T>
struct FactoredVectors {
    T* p;            // with the halo of A
    T* r;            // with that of L
    T* w = nullptr;  // L r, with that of U, where there is one
    T* x;
    T* q_or_z;

    __host__ __device__ FactoredVectors(SharedRoom& room, const FactoredArguments<T>& arguments) {
        const Size own = arguments.rows_of_block;
        p = room.take<T>(own + arguments.a.max_halo);
        r = room.take<T>(own + arguments.lower.max_halo);
        if (arguments.upper.start != nullptr) w = room.take<T>(own + arguments.upper.max_halo);
        x = room.take<T>(own);
        q_or_z = room.take<T>(own);
    }
};

/// What says where a block's entries of a matrix belong, and the entries where there is room for them.
template <class T>
struct SharedRows {
    Index* start;
    Index* halo;
    T* value = nullptr;
    std::uint16_t* col = nullptr;

    __host__ __device__ SharedRows(SharedRoom& room, const FactoredMatrix<T>& a, Index rows_of_block) {
        start = room.take<Index>(Size{rows_of_block} + 1);
        halo = room.take<Index>(a.max_halo);
        if (!a.is_shared) return;
        value = room.take<T>(a.max_entries);
        col = room.take<std::uint16_t>(a.max_entries);
    }
};
static_assert(resident_rows <= 1 << 16, "columns of a block are numbered in 16 bits");

/// A block's rows of a matrix, as a thread sees them.
template <class T>
class BlockRows {
public:
    __device__ BlockRows(SharedRoom& room, const FactoredMatrix<T>& a, Index rows_of_block, Index n)
        : shared_(room, a, rows_of_block),
          value_(a.value + a.base[blockIdx.x]),
          col_(a.col + a.base[blockIdx.x]),
          n_(n),
          n_halo_(a.n_halo[blockIdx.x]),
          lanes_(a.lanes) {
        const Index* const start = a.start + blockIdx.x * (rows_of_block + 1);
        const Index* const halo = a.halo + Size{blockIdx.x} * resident_rows;
        for (Index k = thread(); k <= n; k += factored_threads) shared_.start[k] = start[k];
        for (Index k = thread(); k < n_halo_; k += factored_threads) shared_.halo[k] = halo[k];
        for (Index e = thread(); a.is_shared && e < start[n]; e += factored_threads) {
            shared_.value[e] = value_[e];
            shared_.col[e] = static_cast<std::uint16_t>(col_[e]);
        }
        const Index row = thread() / lanes_;
        const Index begin = row < n ? start[row] + thread() % lanes_ : 0;
        const Index end = row < n ? start[row + 1] : 0;
#pragma unroll
        for (int j = 0; j < factored_kept; ++j) {
            const Index e = begin + j * lanes_;
            kept_value_[j] = e < end ? value_[e] : T{0};
            kept_col_[j] = e < end ? col_[e] : (row < n ? row : 0);
        }
    }

    __device__ Index n_halo() const {
        return n_halo_;
    }
    /// The row of the system that number k of the halo is.
    __device__ Index halo(Index k) const {
        return shared_.halo[k];
    }

    /// give(k, (A v)_k) for each of the block's rows, by one thread. To be called by all.
    template <class Give>
    __device__ void multiply(const T* v, Give&& give) const {
        if (shared_.value != nullptr) {
            multiply_with(shared_.value, shared_.col, v, give);
        } else {
            multiply_with(value_, col_, v, give);
        }
    }

private:
    __device__ static Index thread() {
        return static_cast<Index>(threadIdx.x);
    }

    template <class Col, class Give>
    __device__ void multiply_with(const T* value, const Col* col, const T* v, Give&& give) const {
        const Index lane = thread() % lanes_;
        const Index before = thread() % warp_size / lanes_;  // rows of the warp
        Index kept = factored_kept;
        for (Index k = thread() / lanes_; k - before < n_; k += factored_threads / lanes_) {
            const bool there = k < n_;
            const Index begin = there ? shared_.start[k] + lane : 0;
            const Index end = there ? shared_.start[k + 1] : 0;
            T sum = 0;
            if (kept > 0) {
#pragma unroll
                for (int j = 0; j < factored_kept; ++j) sum += kept_value_[j] * v[kept_col_[j]];
            }
#pragma unroll 4
            for (Index e = begin + kept * lanes_; e < end; e += lanes_) sum += value[e] * v[col[e]];
            for (Index step = lanes_ / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
            if (there && lane == 0) give(k, sum);
            kept = 0;  // they are of the thread's first row
        }
    }

    SharedRows<T> shared_;
    const T* value_;
    const Index* col_;
    T kept_value_[factored_kept];
    Index kept_col_[factored_kept];
    Index n_, n_halo_, lanes_;
};

/// In place of the rows of a matrix that is not there.
struct NoRows {
    template <class... Arguments>
    __device__ explicit NoRows(Arguments&&...) {}
};

/// An iteration is three products: q = A p, w = L r, z = U w. Blocks post the elements of each for those that need
/// them, and bring their copies of neighbours' p and r up to date by themselves, so all have the same p_j and r_j to
/// the bit. They wait for all others twice, in the sums of <p, A p> and of <r, r> and <r, M r>, which is <w, w> as
/// U = L'; and for z for the neighbours alone. Where M = L there are two products, q = A p and z = L r.
template <class T, bool has_upper>
__global__ void __launch_bounds__(factored_threads, 1) factored_kernel(FactoredArguments<T> arguments) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ Verdict<T> verdict;
    const GridExchange& exchange = arguments.exchange;
    const CudaLoop& loop = arguments.loop;
    const Index first = static_cast<Index>(blockIdx.x) * arguments.rows_of_block;
    const Index n = min(arguments.rows_of_block, arguments.n_rows - first);
    const Index t = static_cast<Index>(threadIdx.x);
    const auto up_to = [&](Index end, auto&& f) {
        for (Index k = t; k < end; k += factored_threads) f(k);
    };

    SharedRoom room(shared);
    const FactoredVectors<T> v(room, arguments);
    const BlockRows<T> a(room, arguments.a, arguments.rows_of_block, n);
    const BlockRows<T> lower(room, arguments.lower, arguments.rows_of_block, n);
    [[maybe_unused]] const std::conditional_t<has_upper, BlockRows<T>, NoRows> upper(room, arguments.upper,
                                                                                     arguments.rows_of_block, n);
    __syncthreads();
    up_to(n + a.n_halo(), [&](Index k) { v.p[k] = arguments.p[k < n ? first + k : a.halo(k - n)]; });
    up_to(n + lower.n_halo(), [&](Index k) { v.r[k] = arguments.r[k < n ? first + k : lower.halo(k - n)]; });
    up_to(n, [&](Index k) { v.x[k] = arguments.x[first + k]; });

    CgState state = *arguments.state;
    if (blockIdx.x != 0) state.coefficients = nullptr;  // one block speaks for all
    Size window_end = loop.control->window_end;         // for the one thread that looks after it
    auto at_window_end = AtWindowEnd::goes_on;
    Size iteration = state.iteration;
    unsigned round = 0;
    const bool runs = state.reason == StopReason::running;

    while (runs) {  // until thread 0 decides otherwise
        __syncthreads();
        ++round;
        double curvature[1] = {};
        a.multiply(v.p, [&](Index k, T q) {
            v.q_or_z[k] = q;
            arguments.q.post(first + k, q, round);
            curvature[0] += static_cast<double>(v.p[k]) * static_cast<double>(q);
        });
        const bool ends_here = at_window_end != AtWindowEnd::goes_on;
        exchange.sum<false>(curvature, round, ends_here, [&](const double(&sums)[1], bool ends) {
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
        double sums[2] = {};  // <r, r>, <r, M r>
        up_to(n, [&](Index k) {
            const T r = v.r[k] - alpha * v.q_or_z[k];
            v.r[k] = r;
            sums[0] += static_cast<double>(r) * static_cast<double>(r);
        });
        arguments.q.hear(
            t, factored_threads, round, lower.n_halo(), [&](Index k) { return lower.halo(k); },
            [&](Index k, T q) { v.r[n + k] -= alpha * q; });
        __syncthreads();
        ++round;
        lower.multiply(v.r, [&](Index k, T w) {
            if constexpr (has_upper) {
                v.w[k] = w;
                arguments.w.post(first + k, w, round);
                sums[1] += static_cast<double>(w) * static_cast<double>(w);
            } else {
                v.q_or_z[k] = w;
                arguments.z.post(first + k, w, round);
                sums[1] += static_cast<double>(v.r[k]) * static_cast<double>(w);
            }
        });
        const bool asks = blockIdx.x == 0 && t == 0 && iteration % ask_stride == 0;
        const int end_as = asks ? loop_end_asked(loop) : 0;
        exchange.sum<false>(sums, round, end_as != 0, [&](const double(&total)[2], bool end_asked) {
            cg_decide(state, total[0], total[1]);
            if (blockIdx.x == 0) loop_report(loop, state.iteration, state.residual2);
            cg_end_asked(state, end_as);  // of block 0, whose state is the one that stays
            verdict.stop = end_asked || state.reason != StopReason::running;
            verdict.beta = static_cast<T>(state.beta);
            // The other blocks learn what comes of it with the next sum.
            if (blockIdx.x != 0 || verdict.stop || state.iteration < window_end) return;
            int asked = 0;
            at_window_end = loop_await(loop, window_end, asked);
            if (at_window_end == AtWindowEnd::ends) state.reason = static_cast<StopReason>(asked);
        });
        if (verdict.stop) break;  // x follows as the state says

        const T beta = verdict.beta;
        up_to(n, [&](Index k) { v.x[k] += x_alpha * v.p[k]; });
        if constexpr (has_upper) {
            arguments.w.hear(
                t, factored_threads, round, upper.n_halo(), [&](Index k) { return upper.halo(k); },
                [&](Index k, T w) { v.w[n + k] = w; });
            __syncthreads();
            upper.multiply(v.w, [&](Index k, T z) {
                v.p[k] = z + beta * v.p[k];
                arguments.z.post(first + k, z, round);
            });
        } else {
            up_to(n, [&](Index k) { v.p[k] = v.q_or_z[k] + beta * v.p[k]; });
        }
        arguments.z.hear(
            t, factored_threads, round, a.n_halo(), [&](Index k) { return a.halo(k); },
            [&](Index k, T z) { v.p[n + k] = z + beta * v.p[n + k]; });
        ++iteration;  // thread 0 alone keeps the state
    }

    up_to(n, [&](Index k) {
        arguments.x[first + k] = v.x[k];
        arguments.r[first + k] = v.r[k];
        arguments.p[first + k] = v.p[k];
    });
    if (blockIdx.x == 0 && t == 0) *arguments.state = state;
}

}  // namespace stiefel::cuda
