#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"

namespace stiefel::cli {

/// Solves a system of 16 unknowns, so that a device has what CG is made of before the matrix has been read: kernels are
/// loaded, memory is mapped and pools are filled when they are first used, which is 2 ms of a solve (H200).
template <class T, class B>
void warm_up(B& device) {
    OpenMP host(1);
    const auto a = to_device(device, poisson2d<T>(host, 4, 4));
    const auto m = make_jacobi(device, a);
    auto b = make_vector<T>(device, a.n_rows), x = make_vector<T>(device, a.n_rows);
    fill(device, T{1}, b);
    fill(device, T{0}, x);
    static_cast<void>(cg(device, a, m, b, x));
}

}  // namespace stiefel::cli
