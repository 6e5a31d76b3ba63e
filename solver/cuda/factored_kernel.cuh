#pragma once

#include "stiefel/solver/cuda/factored_rows.cuh"
#include "stiefel/solver/cuda/posted_elements.cuh"
#include "stiefel/solver/cuda/resident_decision.cuh"

#include <algorithm>
#include <limits>
#include <type_traits>

// The whole loop of CG with M = U L, or M = L, in one cooperative kernel: see set_factored.

namespace stiefel::cuda {

template <class T>
struct FactoredArguments {
    Index n_rows, rows_of_block;
    FactoredMatrix<T> a, lower, upper;
    T* x;
    T* r;
    T* p;
    SealedElements q;   // for neighbours: A p, or r where L r is made anew,
    SealedElements lq;  // L q, where that is not yet M q,
    SealedElements mq;  // M q; these two of an iteration and of the one before, as they are read after its sums
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
};

/// Threads of a block that wait for sums; the others, in the meantime, multiply with U.
inline constexpr int summing = cg_sum::n * warp_size;
inline constexpr int barrier_of_others = 2;  // of the block's barriers, beside that of GridExchange

/// A block's vectors in shared memory: its own rows, then those of a halo.
template <class T>
struct FactoredVectors {
    T *p, *z;  // with the halo of A; z = M r
    T* q;      // with that of L, while L q is made; q = A p; then with M q of that of A
    T* lq;     // with that of U; where there is none it is M q
    T* mq;
    T *x, *r;
    T* w;  // L r; where there is no U it is z

    __host__ __device__ FactoredVectors(SharedRoom& room, const FactoredArguments<T>& arguments) {
        const Size own = arguments.rows_of_block;
        const Index of_a = arguments.a.max_halo, of_lower = arguments.lower.max_halo;
        const bool has_upper = arguments.upper.start != nullptr;
        p = room.take<T>(own + of_a);
        z = room.take<T>(own + of_a);
        q = room.take<T>(own + std::max(of_a, of_lower));
        lq = room.take<T>(own + (has_upper ? arguments.upper.max_halo : 0));
        mq = has_upper ? room.take<T>(own) : lq;
        x = room.take<T>(own);
        r = room.take<T>(own);
        w = has_upper ? room.take<T>(own) : z;
    }
};

/// What rounding has left in w = L r and z = M r, which follow r by L q and M q: as much as the largest residual since
/// they were made of r is rounded by. Where r has become so much smaller that this tells, they are to be made anew, or
/// r goes no further down (of 2.5e-15 of b, where the residual of a grid with block Jacobi is to be brought to 1e-17);
/// by one thread of a block.
template <class T>
struct Drift {
    double largest2;  ///< <r, r> since they were made
    bool tells;

    __device__ void begin() {
        largest2 = 0;
        tells = false;
    }
    __device__ void look(double residual2) {
        constexpr double most = 1e-5, of_rounding = std::numeric_limits<T>::epsilon() / most;
        largest2 = max(largest2, residual2);
        tells = residual2 < of_rounding * of_rounding * largest2;
        if (tells) largest2 = residual2;
    }
};

/// An iteration is three products: q = A p, L q, and M q = U L q; where M = L, the first two. As directions are
/// foreseen (cg_foreseen.hpp), by <r, M q> = <w, L q> and <q, M q> = |L q|^2 where U = L', blocks wait for all others
/// once, and what they wait for is on its way while M q is made. They post the elements of q, L q and M q for those
/// that need them; r, w = L r and z = M r follow by these, and copies of neighbours' z and p are brought up to date by
/// each block itself, so all have the same p_j to the bit. w and z are made of r anew where the loop begins, where it
/// has paused, whether or not it was left for that, and where they have drifted; the sums that the step to come is
/// decided by are brought once more then.
template <class T, bool has_upper>
__global__ void __launch_bounds__(factored_threads, 1) factored_kernel(FactoredArguments<T> arguments) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ ResidentDecision<T> decision;
    __shared__ Drift<T> drift;
    const GridExchange& exchange = arguments.exchange;
    const CudaLoop& loop = arguments.loop;
    const Index first = static_cast<Index>(blockIdx.x) * arguments.rows_of_block;
    const Index n = min(arguments.rows_of_block, arguments.n_rows - first);
    const Index t = static_cast<Index>(threadIdx.x);
    const bool speaks_for_all = blockIdx.x == 0 && t == 0;
    const auto up_to = [&](Index end, auto&& f) {
        for (Index k = t; k < end; k += factored_threads) f(k);
    };

    SharedRoom room(shared);
    const FactoredVectors<T> v(room, arguments);
    const BlockRows<T> a(room, arguments.a, arguments.rows_of_block, n);
    const BlockRows<T> lower(room, arguments.lower, arguments.rows_of_block, n);
    [[maybe_unused]] const std::conditional_t<has_upper, BlockRows<T>, NoRows> upper(
        room, arguments.upper, arguments.rows_of_block, n, Index{summing});
    __syncthreads();
    up_to(n + a.n_halo(), [&](Index k) { v.p[k] = arguments.p[k < n ? first + k : a.halo(k - n)]; });
    up_to(n, [&](Index k) {
        v.r[k] = arguments.r[first + k];
        v.x[k] = arguments.x[first + k];
    });
    if (t == 0) {
        decision.begin(*arguments.state, loop);
        drift.begin();
    }
    unsigned round = 0;
    // What others need of a product, from there to here.
    const auto hear = [&](const SealedElements& posted, Index place, const auto& rows, T* to, Index thread,
                          Index threads) {
        posted.hear(
            thread, threads, round, rows.n_halo(), [&](Index k) { return place + rows.halo(k); },
            [&](Index k, T value) { to[n + k] = value; });
    };
    const auto place_of_turn = [&] { return round % 2 == 0 ? Index{0} : arguments.n_rows; };
    const auto make_w_and_z = [&] {
        ++round;
        const Index place = place_of_turn();
        up_to(n, [&](Index k) {
            v.q[k] = v.r[k];
            arguments.q.post(first + k, v.r[k], round);
        });
        hear(arguments.q, 0, lower, v.q, t, factored_threads);
        __syncthreads();
        lower.multiply(v.q, [&](Index k, T w) {
            v.w[k] = w;
            if constexpr (has_upper) {
                v.lq[k] = w;
                arguments.lq.post(place + first + k, w, round);
            } else {
                arguments.mq.post(place + first + k, w, round);
            }
        });
        if constexpr (has_upper) {
            hear(arguments.lq, place, upper, v.lq, t, factored_threads);
            __syncthreads();
            if (t >= summing) {
                upper.multiply(v.lq, [&](Index k, T z) {
                    v.z[k] = z;
                    arguments.mq.post(place + first + k, z, round);
                });
            }
        }
        hear(arguments.mq, place, a, v.z, t, factored_threads);
        double none[1] = {};  // so that all have heard before anything is posted anew
        exchange.sum<false>(none, round, false, [](const double(&)[1], bool) {});
    };
    const bool runs = arguments.state->reason == StopReason::running;
    double left[2] = {};  // of the residual, by this thread: <r, r>, <r, M r>
    if (runs) make_w_and_z();
    up_to(n, [&](Index k) { left[0] += static_cast<double>(v.r[k]) * static_cast<double>(v.r[k]); });

    while (runs) {  // until thread 0 decides otherwise
        __syncthreads();
        ++round;
        const Index place = place_of_turn();
        const T unit = decision.unit;
        double sums[cg_sum::n] = {};
        a.multiply(v.p, [&](Index k, T q) {
            v.q[k] = q;
            arguments.q.post(first + k, q, round);
            sums[cg_sum::curvature] += static_cast<double>(v.p[k]) * static_cast<double>(q);
        });
        hear(arguments.q, 0, lower, v.q, t, factored_threads);
        __syncthreads();
        lower.multiply(v.q, [&](Index k, T lq) {
            v.lq[k] = lq;
            (has_upper ? arguments.lq : arguments.mq).post(place + first + k, lq, round);
            const auto in_unit = static_cast<double>(unit * lq);
            sums[cg_sum::r_mq] += static_cast<double>(has_upper ? v.w[k] : v.r[k]) * in_unit;
            sums[cg_sum::q_mq] += has_upper ? in_unit * in_unit : static_cast<double>(unit * v.q[k]) * in_unit;
        });
        sums[cg_sum::residual2] = left[0];
        sums[cg_sum::rho] = left[1];
        const bool all_are_to_pause = speaks_for_all && decision.wants_pause;
        const double own = exchange.bring<false>(sums, round, all_are_to_pause);
        exchange.await<false>(
            own, sums, round, all_are_to_pause,
            [&](const auto& all, bool all_pause) {
                decision.take(all, all_pause, loop);
                if (t != 0) drift.look(all[cg_sum::residual2]);
            },
            [&](int thread, int threads) {
                if constexpr (has_upper) {
                    hear(arguments.lq, place, upper, v.lq, thread, threads);
                    __barrier_sync_count(barrier_of_others, threads);
                    upper.multiply(v.lq, [&](Index k, T mq) {
                        v.mq[k] = mq;
                        arguments.mq.post(place + first + k, mq, round);
                    });
                }
                hear(arguments.mq, place, a, v.q, thread, threads);
            });
        if (decision.stops) break;
        if (decision.pauses || drift.tells) {
            if (decision.pauses && decision.ends_at_pause(exchange, ++round, loop)) break;
            if (t == 0) decision.forget_step();
            make_w_and_z();
            continue;
        }

        const T alpha = decision.alpha, x_alpha = decision.x_alpha, beta = decision.beta;
        left[0] = left[1] = 0;
        up_to(n + a.n_halo(), [&](Index k) {
            const bool is_own = k < n;
            const T z = step_down(v.z[k], alpha, is_own ? v.mq[k] : v.q[k]), p = v.p[k];
            v.z[k] = z;
            v.p[k] = next_direction(z, beta, p);
            if (!is_own) return;
            const T r = step_down(v.r[k], alpha, v.q[k]);
            v.r[k] = r;
            v.x[k] += x_alpha * p;
            left[0] += static_cast<double>(r) * static_cast<double>(r);
            if constexpr (has_upper) {
                const T w = step_down(v.w[k], alpha, v.lq[k]);
                v.w[k] = w;
                left[1] += static_cast<double>(w) * static_cast<double>(w);
            } else {
                left[1] += static_cast<double>(r) * static_cast<double>(z);
            }
        });
    }

    up_to(n, [&](Index k) {
        arguments.x[first + k] = v.x[k];
        arguments.r[first + k] = v.r[k];
        arguments.p[first + k] = v.p[k];
    });
    if (speaks_for_all) decision.end(*arguments.state);
}

}  // namespace stiefel::cuda
