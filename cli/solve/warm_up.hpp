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
/// one with multigrid, whose set-up has kernels of its own (H200). Ends after CG's where multigrid's are not to be
/// loaded, for which it takes some ms more; asked then.
template <class T, class B, class WithAmg>
void warm_up(B& device, WithAmg&& with_amg) {
    OpenMP host(1);
    const auto system = [&](Index side) { return to_device(device, poisson2d<T>(host, side, side)); };
    const auto solve = [&](const auto& a, const auto& m) {
        auto b = make_vector<T>(device, a.n_rows), x = make_vector<T>(device, a.n_rows);
        fill(device, T{1}, b);
        fill(device, T{0}, x);
        static_cast<void>(cg(device, a, m, b, x));
    };
    const auto tiny = system(4);
    solve(tiny, make_jacobi(device, tiny));
    if (with_amg()) {
        const auto small = system(50);
        auto make = ListedAmg::prepare<B, T>(device, small, {});
        solve(small, make(device, small, 1));
    }
    device.restart_sweeps();  // what was run here decides on no order in which sums are taken later
}

}  // namespace stiefel::cli
