#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"

namespace stiefel::cli {

/// Solves a small system, so that a device has what a solve is made of before the matrix has been read: kernels are
/// loaded, memory is mapped and pools are filled when they are first used. That is 2 ms of a solve by CG, and 5 ms of
/// one with multigrid, whose set-up has kernels of its own (H200).
template <class T, class B>
void warm_up(B& device, bool with_amg) {
    OpenMP host(1);
    const Index side = with_amg ? 50 : 4;
    const auto a = to_device(device, poisson2d<T>(host, side, side));
    auto b = make_vector<T>(device, a.n_rows), x = make_vector<T>(device, a.n_rows);
    fill(device, T{1}, b);
    fill(device, T{0}, x);
    static_cast<void>(cg(device, a, make_jacobi(device, a), b, x));
    if (!with_amg) return;
    fill(device, T{0}, x);
    auto make = ListedAmg::prepare<B, T>(device, a, {});
    const auto m = make(device, a, 1);
    static_cast<void>(cg(device, a, m, b, x));
}

}  // namespace stiefel::cli
