#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/identity.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/solver/cg_state.hpp"

#include <type_traits>

namespace stiefel {

/// The vector kernels of CG, fused so that an iteration touches each vector as seldom as it can. All vectors have n
/// elements; `state` points into the backend's memory. A kernel returns at once unless the state says `running`, so
/// running it too often changes nothing. M is Identity or Jacobi.

/// Begins or restarts:  p = M r,  rho = <r, p>,  residual2 = <r, r>.
template <class M, class T>
void cg_start(Serial&, const M& m, const HostVector<T>& r, HostVector<T>& p, CgState* state);
template <class M, class T>
void cg_start(OpenMP&, const M& m, const HostVector<T>& r, HostVector<T>& p, CgState* state);
template <class M, class T>
void cg_start(Cuda&, const M& m, const DeviceVector<T>& r, DeviceVector<T>& p, CgState* state);

/// r -= alpha q  with alpha = rho / curvature, then cg_decide on <r, r> and <r, M r>. If the curvature is not positive
/// or not finite, r stays as it is and the state says why.
template <class M, class T>
void cg_update(Serial&, const M& m, const HostVector<T>& q, HostVector<T>& r, CgState* state);
template <class M, class T>
void cg_update(OpenMP&, const M& m, const HostVector<T>& q, HostVector<T>& r, CgState* state);
template <class M, class T>
void cg_update(Cuda&, const M& m, const DeviceVector<T>& q, DeviceVector<T>& r, CgState* state);

/// x += alpha p  and  p = M r + beta p, in one pass over p.
template <class M, class T>
void cg_direction(Serial&, const M& m, const HostVector<T>& r, HostVector<T>& p, HostVector<T>& x,
                  const CgState* state);
template <class M, class T>
void cg_direction(OpenMP&, const M& m, const HostVector<T>& r, HostVector<T>& p, HostVector<T>& x,
                  const CgState* state);
template <class M, class T>
void cg_direction(Cuda&, const M& m, const DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<T>& x,
                  const CgState* state);

/// After the run: x += alpha p if the last iteration ended before its cg_direction.
template <class T>
void cg_finish(Serial&, const HostVector<T>& p, HostVector<T>& x, const CgState* state);
template <class T>
void cg_finish(OpenMP&, const HostVector<T>& p, HostVector<T>& x, const CgState* state);
template <class T>
void cg_finish(Cuda&, const DeviceVector<T>& p, DeviceVector<T>& x, const CgState* state);

/// cg_update reads q, r and writes r; cg_direction reads r, p, x and writes p, x; Jacobi adds its vector to both.
template <class T, class M>
constexpr Work cg_update_work(Size n, const M&) {
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    return {static_cast<double>(n) * sizeof(T) * (jacobi ? 4 : 3), static_cast<double>(n) * (jacobi ? 7 : 4)};
}

template <class T, class M>
constexpr Work cg_direction_work(Size n, const M&) {
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    return {static_cast<double>(n) * sizeof(T) * (jacobi ? 6 : 5), static_cast<double>(n) * (jacobi ? 5 : 4)};
}

}  // namespace stiefel
