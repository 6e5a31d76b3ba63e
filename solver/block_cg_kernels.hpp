#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/pointwise.hpp"
#include "stiefel/solver/block_cg_state.hpp"

#include <type_traits>

namespace stiefel {

// The kernels of block CG, fused so that an iteration touches each panel as seldom as it can. Panels are n x k; `state`
// and what `small` points to lie in the backend's memory. A kernel returns at once unless the state says `running`. M
// is pointwise, the inverse of a diagonal D; s = D^-1/2 scales the rows of a panel. With any other M block CG takes
// these without preconditioner, and a panel M W beside W.

/// xi = (S' A S)^-1 and step = xi sigma from small.curvature; ends the run if A proves not to be positive definite.
template <class T>
void block_cg_step(Serial&, const BlockCgMatrices& small, CgState* state);
template <class T>
void block_cg_step(OpenMP&, const BlockCgMatrices& small, CgState* state);
template <class T>
void block_cg_step(Cuda&, const BlockCgMatrices& small, CgState* state);

/// W = W z - s A S xi,  gram = W' W,  and with a preconditioner  weighted = W' D W.   as: A S
template <class M, class T>
void block_cg_residual(Serial&, const M& m, HostMatrix<const T> as, HostMatrix<T> w, const BlockCgMatrices& small,
                       const CgState* state);
template <class M, class T>
void block_cg_residual(OpenMP&, const M& m, HostMatrix<const T> as, HostMatrix<T> w, const BlockCgMatrices& small,
                       const CgState* state);
template <class M, class T>
void block_cg_residual(Cuda&, const M& m, DeviceMatrix<const T> as, DeviceMatrix<T> w, const BlockCgMatrices& small,
                       const CgState* state);

/// z, zeta and sigma from small.gram, and what that says of each column and of the run. With `start` only the basis
/// changes and no iteration is counted.
template <class T>
void block_cg_basis(Serial&, const BlockCgMatrices& small, bool start, CgState* state);
template <class T>
void block_cg_basis(OpenMP&, const BlockCgMatrices& small, bool start, CgState* state);
template <class T>
void block_cg_basis(Cuda&, const BlockCgMatrices& small, bool start, CgState* state);

/// X += S step  and  S = s W z + S zeta', in one pass over S.
template <class M, class T>
void block_cg_direction(Serial&, const M& m, HostMatrix<const T> w, HostMatrix<T> s, HostMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state);
template <class M, class T>
void block_cg_direction(OpenMP&, const M& m, HostMatrix<const T> w, HostMatrix<T> s, HostMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state);
template <class M, class T>
void block_cg_direction(Cuda&, const M& m, DeviceMatrix<const T> w, DeviceMatrix<T> s, DeviceMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state);

// All of these for one backend and type. Naming them compiles them: the file of a backend of the host ends with the
// tables of what it has. (nvcc does not take a name in a table for a use.)
template <class B, class T>
struct BlockCgKernels {
    static constexpr void (*steps)(B&, const BlockCgMatrices&, CgState*) = block_cg_step<T>;
    static constexpr void (*makes_basis)(B&, const BlockCgMatrices&, bool, CgState*) = block_cg_basis<T>;
};
template <class B, class T, class M>
struct PointwiseBlockCgKernels {
    using In = MatrixOf<B, const T>;
    using Out = MatrixOf<B, T>;
    static constexpr void (*updates_residual)(B&, const M&, In, Out, const BlockCgMatrices&,
                                              const CgState*) = block_cg_residual;
    static constexpr void (*directs)(B&, const M&, In, Out, Out, const BlockCgMatrices&,
                                     const CgState*) = block_cg_direction;
};

/// block_cg_residual reads A S and W and writes W; block_cg_direction reads W, S, X and writes S, X; Jacobi adds its
/// vector to both.
template <class T, class M>
constexpr Work block_cg_residual_work(Size n, Index k, const M&) {
    constexpr bool jacobi = Pointwise<M, T> && !std::is_same_v<M, Identity>;
    const double rows = static_cast<double>(n);
    return {rows * (3.0 * k + (jacobi ? 1 : 0)) * sizeof(T), rows * k * (jacobi ? 8.0 : 6.0) * k};
}

template <class T, class M>
constexpr Work block_cg_direction_work(Size n, Index k, const M&) {
    constexpr bool jacobi = Pointwise<M, T> && !std::is_same_v<M, Identity>;
    const double rows = static_cast<double>(n);
    return {rows * (5.0 * k + (jacobi ? 1 : 0)) * sizeof(T), rows * k * 6.0 * k};
}

}  // namespace stiefel
