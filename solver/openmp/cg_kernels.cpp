#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/core/block_dot.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/preconditioner/pointwise.hpp"

#include <array>
#include <optional>

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

// The kernels of an iteration sweep the vectors in alternating directions, cg_update from the end and the others from
// the beginning, so that each begins with what its predecessor left in the cache.

/// r -= alpha q, and <r, M r> and <r, r> of what it becomes; nothing if the run has ended, or ends here.
template <class M, class T>
std::optional<std::array<double, 2>> step_residual(OpenMP& backend, const M& m, const HostVector<T>& q_vector,
                                                   HostVector<T>& r_vector, CgState* state) {
    if (state->reason != StopReason::running) return std::nullopt;
    state->reason = cg_check_curvature(*state);
    if (state->reason != StopReason::running) return std::nullopt;

    const auto block = [alpha = static_cast<T>(cg_step_length(*state)), scale = pointwise<T>(m), q = q_vector.data(),
                        r = r_vector.data()](Size begin, Size end) {
    // A block of r is still in the first-level cache when its sums are taken.
#pragma omp simd
        for (Size i = begin; i < end; ++i) r[i] -= alpha * q[i];
        return residual_sums(scale, r, begin, end);
    };
    auto sums = sum_over_blocks<2>(backend, r_vector.size(), 3 * r_vector.bytes(), block, Sweep::backward);
    all_sum(backend, sums.data(), 2);
    return sums;
}

}  // namespace

template <class M, class T>
void cg_start(OpenMP& backend, const M& m, const HostVector<T>& r_vector, HostVector<T>& p_vector, CgState* state) {
    const auto block = [scale = pointwise<T>(m), r = r_vector.data(), p = p_vector.data()](Size begin, Size end) {
        for (Size i = begin; i < end; ++i) p[i] = scale(i, r[i]);
        return residual_sums(scale, r, begin, end);
    };
    auto sums = sum_over_blocks<2>(backend, r_vector.size(), 2 * r_vector.bytes(), block);
    all_sum(backend, sums.data(), 2);
    state->rho = sums[0];
    state->residual2 = sums[1];
}

template <class M, class T>
void cg_update(OpenMP& backend, const M& m, const HostVector<T>& q, HostVector<T>& r, CgState* state) {
    if (const auto sums = step_residual(backend, m, q, r, state)) cg_decide(*state, (*sums)[1], (*sums)[0]);
}

template <class T>
void cg_residual(OpenMP& backend, const HostVector<T>& q, HostVector<T>& r, CgState* state) {
    if (const auto sums = step_residual(backend, Identity{}, q, r, state)) cg_decide_residual(*state, (*sums)[1]);
}

template <class T>
void cg_rho(OpenMP& backend, const HostVector<T>& r_vector, const HostVector<T>& z_vector, CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto block = [r = r_vector.data(), z = z_vector.data()](Size begin, Size end) {
        return std::array{block_dot(r + begin, z + begin, static_cast<Index>(end - begin))};
    };
    const double rho = sum_over_blocks<1>(backend, r_vector.size(), 2 * r_vector.bytes(), block)[0];
    cg_decide_rho(*state, all_sum(backend, rho));
}

void cg_take_rho(OpenMP&, CgState* state) {
    if (state->reason == StopReason::running) cg_decide_rho(*state, state->next_rho);
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

template struct CgKernels<OpenMP, double>;
template struct PointwiseCgKernels<OpenMP, double, Identity>;
template struct PointwiseCgKernels<OpenMP, double, HostJacobi<double>>;
template struct CgKernels<OpenMP, float>;
template struct PointwiseCgKernels<OpenMP, float, Identity>;
template struct PointwiseCgKernels<OpenMP, float, HostJacobi<float>>;

}  // namespace stiefel
