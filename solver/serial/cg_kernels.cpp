#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/preconditioner/pointwise.hpp"

namespace stiefel {

template <class M, class T>
void cg_start(Serial& backend, const M& m, const HostVector<T>& r, HostVector<T>& p, CgState* state) {
    const auto scale = pointwise<T>(m);
    double rho = 0;
    double residual2 = 0;
    for (Size i = 0; i < r.size(); ++i) {
        p[i] = scale(i, r[i]);
        rho += static_cast<double>(r[i]) * p[i];
        residual2 += static_cast<double>(r[i]) * r[i];
    }
    state->rho = all_sum(backend, rho);
    state->residual2 = all_sum(backend, residual2);
}

template <class M, class T>
void cg_update(Serial& backend, const M& m, const HostVector<T>& q, HostVector<T>& r, CgState* state) {
    if (state->reason != StopReason::running) return;
    state->reason = cg_check_curvature(*state);
    if (state->reason != StopReason::running) return;

    const auto scale = pointwise<T>(m);
    const auto alpha = static_cast<T>(cg_step_length(*state));
    double rho = 0;
    double residual2 = 0;
    for (Size i = 0; i < r.size(); ++i) {
        r[i] -= alpha * q[i];
        rho += static_cast<double>(r[i]) * scale(i, r[i]);
        residual2 += static_cast<double>(r[i]) * r[i];
    }
    double sums[] = {rho, residual2};
    all_sum(backend, sums, 2);
    cg_decide(*state, sums[1], sums[0]);
}

template <class T>
void cg_residual(Serial& backend, const HostVector<T>& q, HostVector<T>& r, CgState* state) {
    if (state->reason != StopReason::running) return;
    state->reason = cg_check_curvature(*state);
    if (state->reason != StopReason::running) return;

    const auto alpha = static_cast<T>(cg_step_length(*state));
    double residual2 = 0;
    for (Size i = 0; i < r.size(); ++i) {
        r[i] -= alpha * q[i];
        residual2 += static_cast<double>(r[i]) * r[i];
    }
    cg_decide_residual(*state, all_sum(backend, residual2));
}

template <class T>
void cg_rho(Serial& backend, const HostVector<T>& r, const HostVector<T>& z, CgState* state) {
    if (state->reason != StopReason::running) return;
    double rho = 0;
    for (Size i = 0; i < r.size(); ++i) rho += static_cast<double>(r[i]) * z[i];
    cg_decide_rho(*state, all_sum(backend, rho));
}

void cg_take_rho(Serial&, CgState* state) {
    if (state->reason == StopReason::running) cg_decide_rho(*state, state->next_rho);
}

template <class M, class T>
void cg_direction(Serial&, const M& m, const HostVector<T>& r, HostVector<T>& p, HostVector<T>& x,
                  const CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto scale = pointwise<T>(m);
    const auto alpha = static_cast<T>(state->alpha);
    const auto beta = static_cast<T>(state->beta);
    for (Size i = 0; i < r.size(); ++i) {
        x[i] += alpha * p[i];
        p[i] = scale(i, r[i]) + beta * p[i];
    }
}

template <class T>
void cg_finish(Serial&, const HostVector<T>& p, HostVector<T>& x, const CgState* state) {
    if (!state->x_is_behind) return;
    const auto alpha = static_cast<T>(state->alpha);
    for (Size i = 0; i < x.size(); ++i) x[i] += alpha * p[i];
}

template struct CgKernels<Serial, double>;
template struct PointwiseCgKernels<Serial, double, Identity>;
template struct PointwiseCgKernels<Serial, double, HostJacobi<double>>;
template struct CgKernels<Serial, float>;
template struct PointwiseCgKernels<Serial, float, Identity>;
template struct PointwiseCgKernels<Serial, float, HostJacobi<float>>;

}  // namespace stiefel
