#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/preconditioner/pointwise.hpp"

namespace stiefel {

namespace {

/// <r, M r> and <r, r> of a block; without preconditioner they are one sum.
template <class T, class Scale>
std::array<double, 2> residual_sums(Scale scale, const T* r, Size begin, Size end) {
    double rho = 0;
    double residual2 = 0;
#pragma omp simd reduction(+ : rho, residual2)
    for (Size i = begin; i < end; ++i) {
        residual2 += static_cast<double>(r[i]) * r[i];
        if constexpr (!Scale::is_identity) rho += static_cast<double>(r[i]) * scale(i, r[i]);
    }
    return {Scale::is_identity ? residual2 : rho, residual2};
}

}  // namespace

template <class M, class T>
void cg_start(OpenMP& backend, const M& m, const HostVector<T>& r_vector, HostVector<T>& p_vector, CgState* state) {
    const auto block = [scale = pointwise<T>(m), r = r_vector.data(), p = p_vector.data()](Size begin, Size end) {
        for (Size i = begin; i < end; ++i) p[i] = scale(i, r[i]);
        return residual_sums(scale, r, begin, end);
    };
    const auto sums = sum_over_blocks<2>(backend, r_vector.size(), 2 * r_vector.bytes(), block);
    state->rho = sums[0];
    state->residual2 = sums[1];
}

// The kernels of an iteration sweep the vectors in alternating directions, cg_update from the end and the others from
// the beginning, so that each begins with what its predecessor left in the cache.

template <class M, class T>
void cg_update(OpenMP& backend, const M& m, const HostVector<T>& q_vector, HostVector<T>& r_vector, CgState* state) {
    if (state->reason != StopReason::running) return;
    state->reason = cg_check_curvature(*state);
    if (state->reason != StopReason::running) return;

    const auto block = [alpha = static_cast<T>(cg_step_length(*state)), scale = pointwise<T>(m), q = q_vector.data(),
                        r = r_vector.data()](Size begin, Size end) {
    // A block of r is still in the first-level cache when its sums are taken.
#pragma omp simd
        for (Size i = begin; i < end; ++i) r[i] -= alpha * q[i];
        return residual_sums(scale, r, begin, end);
    };
    const auto sums = sum_over_blocks<2>(backend, r_vector.size(), 3 * r_vector.bytes(), block, Sweep::backward);
    cg_decide(*state, sums[1], sums[0]);
}

template <class M, class T>
void cg_direction(OpenMP& backend, const M& m, const HostVector<T>& r_vector, HostVector<T>& p_vector,
                  HostVector<T>& x_vector, const CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto block = [alpha = static_cast<T>(state->alpha), beta = static_cast<T>(state->beta),
                        scale = pointwise<T>(m), r = r_vector.data(), p = p_vector.data(),
                        x = x_vector.data()](Size begin, Size end) {
#pragma omp simd
        for (Size i = begin; i < end; ++i) {
            x[i] += alpha * p[i];
            p[i] = scale(i, r[i]) + beta * p[i];
        }
    };
    for_each_block(backend, r_vector.size(), 5 * r_vector.bytes(), block);
}

template <class T>
void cg_finish(OpenMP& backend, const HostVector<T>& p_vector, HostVector<T>& x_vector, const CgState* state) {
    if (!state->x_is_behind) return;
    const auto block = [alpha = static_cast<T>(state->alpha), p = p_vector.data(), x = x_vector.data()](Size begin,
                                                                                                        Size end) {
#pragma omp simd
        for (Size i = begin; i < end; ++i) x[i] += alpha * p[i];
    };
    for_each_block(backend, x_vector.size(), 3 * x_vector.bytes(), block);
}

template void cg_start(OpenMP&, const Identity&, const HostVector<double>&, HostVector<double>&, CgState*);
template void cg_update(OpenMP&, const Identity&, const HostVector<double>&, HostVector<double>&, CgState*);
template void cg_direction(OpenMP&, const Identity&, const HostVector<double>&, HostVector<double>&,
                           HostVector<double>&, const CgState*);
template void cg_start(OpenMP&, const HostJacobi<double>&, const HostVector<double>&, HostVector<double>&, CgState*);
template void cg_update(OpenMP&, const HostJacobi<double>&, const HostVector<double>&, HostVector<double>&, CgState*);
template void cg_direction(OpenMP&, const HostJacobi<double>&, const HostVector<double>&, HostVector<double>&,
                           HostVector<double>&, const CgState*);
template void cg_finish(OpenMP&, const HostVector<double>&, HostVector<double>&, const CgState*);
template void cg_start(OpenMP&, const Identity&, const HostVector<float>&, HostVector<float>&, CgState*);
template void cg_update(OpenMP&, const Identity&, const HostVector<float>&, HostVector<float>&, CgState*);
template void cg_direction(OpenMP&, const Identity&, const HostVector<float>&, HostVector<float>&, HostVector<float>&,
                           const CgState*);
template void cg_start(OpenMP&, const HostJacobi<float>&, const HostVector<float>&, HostVector<float>&, CgState*);
template void cg_update(OpenMP&, const HostJacobi<float>&, const HostVector<float>&, HostVector<float>&, CgState*);
template void cg_direction(OpenMP&, const HostJacobi<float>&, const HostVector<float>&, HostVector<float>&,
                           HostVector<float>&, const CgState*);
template void cg_finish(OpenMP&, const HostVector<float>&, HostVector<float>&, const CgState*);

}  // namespace stiefel
