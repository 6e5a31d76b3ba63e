// A program of somebody who found Stiefel with find_package: generates a system, writes it, reads it and solves it.
#include "solving.hpp"

#include "stiefel/core/backend.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"

long iterations_of_a_solve() {
    stiefel::OpenMP backend;
    const auto generated = stiefel::poisson2d<double>(backend, 30, 30);
    stiefel::write_matrix("poisson.mtx", stiefel::coo_from_csr(backend, generated, true));
    const auto a = stiefel::csr_from_coo(backend, stiefel::read_matrix<double>("poisson.mtx").coo).csr;

    const stiefel::HostVector<double> b(a.n_rows, 1.0);
    stiefel::HostVector<double> x(a.n_rows, 0.0);
    const stiefel::SolveResult result = stiefel::cg(backend, a, b, x);
    if (result.reason != stiefel::StopReason::converged) return -1;
    return result.iterations;
}
