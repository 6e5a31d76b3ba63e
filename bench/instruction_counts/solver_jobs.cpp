#include "bench/instruction_counts/job.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_cholesky.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <memory>

namespace stiefel::bench {

namespace {

std::shared_ptr<HostCsr<double>> system(Index side) {
    OpenMP host(1);
    return std::make_shared<HostCsr<double>>(anisotropic2d<double>(host, side, side, 0.1));
}

template <class M>
bool solve(Serial& backend, const HostCsr<double>& a, const M& m) {
    const HostVector<double> b(a.n_rows, 1.0);
    HostVector<double> x(a.n_rows, 0.0);
    return cg(backend, a, m, b, x).reason == StopReason::converged;
}

std::function<bool()> cg_jacobi() {
    return [a = system(60)] {
        Serial backend;
        return solve(backend, *a, make_jacobi(backend, *a));
    };
}

std::function<bool()> cg_ic() {
    return [a = system(60)] {
        Serial backend;
        return solve(backend, *a, IncompleteCholesky<Serial, double>(backend, *a));
    };
}

std::function<bool()> block_cg_columns() {
    return [a = system(24)] {
        Serial backend;
        const auto b = random_multivector<double>(backend, a->n_rows, 4);
        auto x = make_multivector<double>(backend, a->n_rows, 4);
        fill(backend, 0.0, x.values());
        const BlockSolveResult result = block_cg(backend, *a, b, x);
        return result.reason == StopReason::converged;
    };
}

std::function<bool()> lobpcg_smallest() {
    return [a = system(18)] {
        Serial backend;
        auto x = random_multivector<double>(backend, a->n_rows, 2);
        return lobpcg(backend, *a, x, {.which = EigenEnd::smallest, .rtol = 1e-6}).reason == StopReason::converged;
    };
}

constexpr CountedJob jobs[] = {
    {"cg_jacobi", "conjugate gradients with Jacobi, anisotropic 60^2, serial", cg_jacobi},
    {"cg_ic", "conjugate gradients with incomplete Cholesky and its set-up, anisotropic 60^2, serial", cg_ic},
    {"block_cg", "four right-hand sides in one block, anisotropic 24^2, serial", block_cg_columns},
    {"lobpcg", "two smallest eigenpairs, anisotropic 18^2, serial", lobpcg_smallest},
};

}  // namespace

std::span<const CountedJob> solver_jobs() {
    return jobs;
}

}  // namespace stiefel::bench
