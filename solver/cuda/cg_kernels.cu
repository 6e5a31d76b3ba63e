#include "stiefel/solver/cg_kernels.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/core/cuda/pack.cuh"
#include "stiefel/preconditioner/pointwise.hpp"

namespace stiefel {

namespace {

// The kernels of an iteration sweep the vectors in alternating directions, so that each begins with what its
// predecessor left in the cache. What no kernel needs before it would be evicted anyway (x, q after its use, r after
// the direction is made) is not kept there.

/// Adds what one element of r contributes to <r, M r> and <r, r>; without preconditioner they are one sum.
template <class T, class Scale, int n>
__device__ void add_residual(double (&sums)[n], Scale scale, Size i, T r) {
    sums[n - 1] += static_cast<double>(r) * static_cast<double>(r);
    if constexpr (!Scale::is_identity) sums[0] += static_cast<double>(r) * static_cast<double>(scale(i, r));
}

template <class Scale>
inline constexpr int n_sums = Scale::is_identity ? 1 : 2;

template <class T, class Scale>
__global__ void cg_start_kernel(Size n, Scale scale, const T* r, T* p, CgState* state, ReductionScratch scratch) {
    begin_kernel();
    double sums[n_sums<Scale>] = {};
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) {
        p[i] = scale(i, r[i]);
        add_residual(sums, scale, i, r[i]);
    }
    if (grid_sum(sums, scratch)) {
        state->rho = sums[0];
        state->residual2 = sums[n_sums<Scale> - 1];
    }
}

/// What the block that finishes the sums of a kernel makes of them: the state of the run, what the host is told of it,
/// and whether the loop goes on.
struct DecideUpdate {
    template <int n>
    __device__ static void decide(CgState& state, const double (&sums)[n]) {
        cg_decide(state, sums[n - 1], sums[0]);
    }
    static constexpr bool ends_iteration = true;
};
struct DecideResidual {
    __device__ static void decide(CgState& state, const double (&sums)[1]) { cg_decide_residual(state, sums[0]); }
    static constexpr bool ends_iteration = true;
};
struct DecideRho {
    __device__ static void decide(CgState& state, const double (&sums)[1]) { cg_decide_rho(state, sums[0]); }
    static constexpr bool ends_iteration = false;
};

template <class Decision, int n>
__device__ void conclude(CgState* state, const double (&sums)[n], const CudaLoop& loop) {
    CgState next = *state;
    Decision::decide(next, sums);
    if constexpr (Decision::ends_iteration) {
        loop_report(loop, next.iteration, next.residual2);
        cg_end_asked(next, loop_end_asked(loop));
    }
    *state = next;
    loop_continue(loop, next.iteration, next.reason == StopReason::running);
}

template <class Decision, class T, class Scale>
__global__ void __launch_bounds__(vector_threads, summing_blocks)
    cg_update_kernel(Size n, Scale scale, const T* q, T* r, CgState* state, ReductionScratch scratch, bool descends,
                     CudaLoop loop) {
    begin_kernel();
    if (state->reason != StopReason::running) return;
    const StopReason verdict = cg_check_curvature(*state);
    if (verdict != StopReason::running) {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            state->reason = verdict;
            loop_continue(loop, state->iteration, false);
        }
        return;
    }
    const T alpha = static_cast<T>(cg_step_length(*state));
    double sums[n_sums<Scale>] = {};
    for_packs<T>(n, descends, [&](Size first, bool whole) {
        const Pack<T> qq = load_pack_once(q, first, whole, n);
        Pack<T> rr = load_pack(r, first, whole, n);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
            rr.value[k] -= alpha * qq.value[k];
            if (whole || first + k < n) add_residual(sums, scale, first + k, rr.value[k]);
        }
        store_pack(r, first, whole, n, rr);
    });
    if (grid_sum(sums, scratch)) conclude<Decision>(state, sums, loop);
}

template <class T>
__global__ void __launch_bounds__(vector_threads)
    cg_rho_kernel(Size n, const T* r, const T* z, CgState* state, ReductionScratch scratch, bool descends,
                  CudaLoop loop) {
    begin_kernel();
    if (state->reason != StopReason::running) return;
    double sums[1] = {};
    for_packs<T>(n, descends, [&](Size first, bool whole) {
        const Pack<T> rr = load_pack(r, first, whole, n);
        const Pack<T> zz = load_pack(z, first, whole, n);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
            if (whole || first + k < n) sums[0] += static_cast<double>(rr.value[k]) * static_cast<double>(zz.value[k]);
        }
    });
    if (grid_sum(sums, scratch)) conclude<DecideRho>(state, sums, loop);
}

__global__ void cg_take_rho_kernel(CgState* state, CudaLoop loop) {
    begin_kernel();
    if (state->reason == StopReason::running) conclude<DecideRho>(state, {state->next_rho}, loop);
}

template <class T, class Scale>
__global__ void __launch_bounds__(vector_threads)
    cg_direction_kernel(Size n, Scale scale, const T* r, T* p, T* x, const CgState* state, bool descends) {
    begin_kernel();
    if (state->reason != StopReason::running) return;
    const T alpha = static_cast<T>(state->alpha);
    const T beta = static_cast<T>(state->beta);
    for_packs<T>(n, descends, [&](Size first, bool whole) {
        const Pack<T> rr = load_pack_once(r, first, whole, n);
        Pack<T> pp = load_pack(p, first, whole, n);
        Pack<T> xx = load_pack_once(x, first, whole, n);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
            xx.value[k] += alpha * pp.value[k];
            if (whole || first + k < n) pp.value[k] = scale(first + k, rr.value[k]) + beta * pp.value[k];
        }
        store_pack(p, first, whole, n, pp);
        store_pack_once(x, first, whole, n, xx);
    });
}

template <class T>
__global__ void __launch_bounds__(vector_threads) cg_finish_kernel(Size n, const T* p, T* x, const CgState* state) {
    begin_kernel();
    if (!state->x_is_behind) return;
    const T alpha = static_cast<T>(state->alpha);
    for_packs<T>(n, false, [&](Size first, bool whole) {
        const Pack<T> pp = load_pack(p, first, whole, n);
        Pack<T> xx = load_pack(x, first, whole, n);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) xx.value[k] += alpha * pp.value[k];
        store_pack(x, first, whole, n, xx);
    });
}

}  // namespace

template <class M, class T>
void cg_start(Cuda& backend, const M& m, const DeviceVector<T>& r, DeviceVector<T>& p, CgState* state) {
    launch(backend, cg_start_kernel<T, decltype(pointwise<T>(m))>, vector_grid<T>(backend, r.size(), true),
           vector_threads, "launching cg_start", r.size(), pointwise<T>(m), r.data(), p.data(), state,
           backend.reduction());
}

template <class M, class T>
void cg_update(Cuda& backend, const M& m, const DeviceVector<T>& q, DeviceVector<T>& r, CgState* state) {
    launch(backend, cg_update_kernel<DecideUpdate, T, decltype(pointwise<T>(m))>,
           vector_grid<T>(backend, r.size(), true), vector_threads, "launching cg_update", r.size(), pointwise<T>(m),
           q.data(), r.data(), state, backend.reduction(), backend.next_sweep_descends(), backend.loop());
}

template <class T>
void cg_residual(Cuda& backend, const DeviceVector<T>& q, DeviceVector<T>& r, CgState* state) {
    launch(backend, cg_update_kernel<DecideResidual, T, IdentityScale<T>>, vector_grid<T>(backend, r.size(), true),
           vector_threads, "launching cg_residual", r.size(), IdentityScale<T>{}, q.data(), r.data(), state,
           backend.reduction(), backend.next_sweep_descends(), backend.loop());
}

template <class T>
void cg_rho(Cuda& backend, const DeviceVector<T>& r, const DeviceVector<T>& z, CgState* state) {
    launch(backend, cg_rho_kernel<T>, vector_grid<T>(backend, r.size(), true), vector_threads, "launching cg_rho",
           r.size(), r.data(), z.data(), state, backend.reduction(), backend.next_sweep_descends(), backend.loop());
}

void cg_take_rho(Cuda& backend, CgState* state) {
    launch(backend, cg_take_rho_kernel, 1, 1, "launching cg_take_rho", state, backend.loop());
}

template <class M, class T>
void cg_direction(Cuda& backend, const M& m, const DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<T>& x,
                  const CgState* state) {
    launch(backend, cg_direction_kernel<T, decltype(pointwise<T>(m))>, vector_grid<T>(backend, r.size()),
           vector_threads, "launching cg_direction", r.size(), pointwise<T>(m), r.data(), p.data(), x.data(), state,
           backend.next_sweep_descends());
}

template <class T>
void cg_finish(Cuda& backend, const DeviceVector<T>& p, DeviceVector<T>& x, const CgState* state) {
    launch(backend, cg_finish_kernel<T>, vector_grid<T>(backend, x.size()), vector_threads, "launching cg_finish",
           x.size(), p.data(), x.data(), state);
}

template void cg_start(Cuda&, const Identity&, const DeviceVector<double>&, DeviceVector<double>&, CgState*);
template void cg_update(Cuda&, const Identity&, const DeviceVector<double>&, DeviceVector<double>&, CgState*);
template void cg_direction(Cuda&, const Identity&, const DeviceVector<double>&, DeviceVector<double>&,
                           DeviceVector<double>&, const CgState*);
template void cg_start(Cuda&, const DeviceJacobi<double>&, const DeviceVector<double>&, DeviceVector<double>&,
                       CgState*);
template void cg_update(Cuda&, const DeviceJacobi<double>&, const DeviceVector<double>&, DeviceVector<double>&,
                        CgState*);
template void cg_direction(Cuda&, const DeviceJacobi<double>&, const DeviceVector<double>&, DeviceVector<double>&,
                           DeviceVector<double>&, const CgState*);
template void cg_finish(Cuda&, const DeviceVector<double>&, DeviceVector<double>&, const CgState*);
template void cg_start(Cuda&, const Identity&, const DeviceVector<float>&, DeviceVector<float>&, CgState*);
template void cg_update(Cuda&, const Identity&, const DeviceVector<float>&, DeviceVector<float>&, CgState*);
template void cg_direction(Cuda&, const Identity&, const DeviceVector<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, const CgState*);
template void cg_start(Cuda&, const DeviceJacobi<float>&, const DeviceVector<float>&, DeviceVector<float>&, CgState*);
template void cg_update(Cuda&, const DeviceJacobi<float>&, const DeviceVector<float>&, DeviceVector<float>&, CgState*);
template void cg_direction(Cuda&, const DeviceJacobi<float>&, const DeviceVector<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, const CgState*);
template void cg_finish(Cuda&, const DeviceVector<float>&, DeviceVector<float>&, const CgState*);
template void cg_residual(Cuda&, const DeviceVector<double>&, DeviceVector<double>&, CgState*);
template void cg_rho(Cuda&, const DeviceVector<double>&, const DeviceVector<double>&, CgState*);
template void cg_residual(Cuda&, const DeviceVector<float>&, DeviceVector<float>&, CgState*);
template void cg_rho(Cuda&, const DeviceVector<float>&, const DeviceVector<float>&, CgState*);

}  // namespace stiefel
