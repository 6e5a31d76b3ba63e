#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/pointwise.hpp"
#include "stiefel/solver/cg_state.hpp"

#include <type_traits>

namespace stiefel {

/// The vector kernels of CG, fused so that an iteration touches each vector as seldom as it can. All vectors have n
/// elements; `state` points into the backend's memory. A kernel returns at once unless the state says `running`, so
/// running it too often changes nothing. M is pointwise: see preconditioner/pointwise.hpp. With any other
/// preconditioner z = M r comes between cg_residual and cg_rho, and cg_direction is the one without preconditioner, of
/// z.

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

/// The same in two steps, for a preconditioner that is not pointwise: r -= alpha q and cg_decide_residual on <r, r>,
/// then cg_decide_rho on <r, z>.                                            3 n T bytes, 4 n flops; 2 n T bytes, 2 n
/// flops
template <class T>
void cg_residual(Serial&, const HostVector<T>& q, HostVector<T>& r, CgState* state);
template <class T>
void cg_residual(OpenMP&, const HostVector<T>& q, HostVector<T>& r, CgState* state);
template <class T>
void cg_residual(Cuda&, const DeviceVector<T>& q, DeviceVector<T>& r, CgState* state);
template <class T>
void cg_rho(Serial&, const HostVector<T>& r, const HostVector<T>& z, CgState* state);
template <class T>
void cg_rho(OpenMP&, const HostVector<T>& r, const HostVector<T>& z, CgState* state);
template <class T>
void cg_rho(Cuda&, const DeviceVector<T>& r, const DeviceVector<T>& z, CgState* state);

/// cg_decide_rho on what M has left in next_rho.
void cg_take_rho(Serial&, CgState* state);
void cg_take_rho(OpenMP&, CgState* state);
void cg_take_rho(Cuda&, CgState* state);

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

// All of these for one backend and type. Naming them compiles them: the file of a backend of the host ends with the
// tables of what it has. (nvcc does not take a name in a table for a use.)
template <class B, class T>
struct CgKernels {
    using V = VectorOf<B, T>;
    static constexpr void (*updates_residual)(B&, const V&, V&, CgState*) = cg_residual;
    static constexpr void (*decides_rho)(B&, const V&, const V&, CgState*) = cg_rho;
    static constexpr void (*finishes)(B&, const V&, V&, const CgState*) = cg_finish;
};
template <class B, class T, class M>
struct PointwiseCgKernels {
    using V = VectorOf<B, T>;
    static constexpr void (*starts)(B&, const M&, const V&, V&, CgState*) = cg_start;
    static constexpr void (*updates)(B&, const M&, const V&, V&, CgState*) = cg_update;
    static constexpr void (*directs)(B&, const M&, const V&, V&, V&, const CgState*) = cg_direction;
};

/// cg_update reads q, r and writes r; cg_direction reads r, p, x and writes p, x; Jacobi adds its vector to both.
template <class T, class M>
constexpr Work cg_update_work(Size n, const M&) {
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    return {static_cast<double>(n) * sizeof(T) * (jacobi ? 4 : 3), static_cast<double>(n) * (jacobi ? 7 : 4)};
}

template <class T, class M>
constexpr Work cg_direction_work(Size n, const M&) {
    constexpr bool jacobi = Pointwise<M, T> && !std::is_same_v<M, Identity>;
    return {static_cast<double>(n) * sizeof(T) * (jacobi ? 6 : 5), static_cast<double>(n) * (jacobi ? 5 : 4)};
}

template <class T>
constexpr Work cg_rho_work(Size n) {
    return {static_cast<double>(n) * sizeof(T) * 2, static_cast<double>(n) * 2};
}

}  // namespace stiefel
