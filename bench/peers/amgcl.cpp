// AMGCL's conjugate gradients:  peer_amgcl A.mtx COARSENING RELAXATION [single] [blocks]
//   COARSENING  smoothed_aggregation, ruge_stuben    RELAXATION  spai0, gauss_seidel, ilu0, ...
//   single      the hierarchy in single precision    blocks      of 3 x 3
#include "bench/peers/system.hpp"

#include <amgcl/adapter/block_matrix.hpp>
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/runtime.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/runtime.hpp>
#include <amgcl/solver/cg.hpp>
#include <amgcl/value_type/static_matrix.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <iostream>
#include <vector>

namespace {

using stiefel::bench::System;

template <class V>
using Backend = amgcl::backend::builtin<V>;
template <class Stored, class Computed>
using Solver = amgcl::make_solver<
    amgcl::amg<Backend<Stored>, amgcl::runtime::coarsening::wrapper, amgcl::runtime::relaxation::wrapper>,
    amgcl::solver::cg<Backend<Computed>>>;

template <class S, class Rhs, class A>
void run(const System& system, const A& a, const boost::property_tree::ptree& parameters) {
    stiefel::Stopwatch watch;
    const S solver(a, parameters);
    const double setup = watch.restart();
    const std::size_t rows = static_cast<std::size_t>(system.a.n_rows) * sizeof(double) / sizeof(Rhs);
    const Rhs* const b = reinterpret_cast<const Rhs*>(system.b.data());
    const amgcl::backend::numa_vector<Rhs> f(b, b + rows);
    amgcl::backend::numa_vector<Rhs> x(rows);
    long iterations = 0;
    double residual = 1;
    for (int k = 0; k < stiefel::bench::most_runs && !(residual <= stiefel::bench::tolerance); ++k) {
        const auto [more, error] = solver(f, x);
        iterations += static_cast<long>(more);
        residual = system.residual(reinterpret_cast<const double*>(x.data()));
        if (more == 0) break;
    }
    stiefel::bench::print_result(setup, watch.seconds(), iterations, residual);
}

}  // namespace

int main(int argc, char** argv) try {
    const System system(argv[1]);
    boost::property_tree::ptree parameters;
    parameters.put("solver.tol", stiefel::bench::tolerance);
    parameters.put("solver.maxiter", 20000);
    parameters.put("precond.coarsening.type", argv[2]);
    parameters.put("precond.relax.type", argv[3]);
    const std::vector<std::string> more(argv + 4, argv + argc);
    const auto asked = [&](const char* word) { return std::find(more.begin(), more.end(), word) != more.end(); };

    const auto n = static_cast<std::size_t>(system.a.n_rows);
    const std::vector<std::ptrdiff_t> rows(system.row_ptr(), system.row_ptr() + n + 1);
    const std::vector<std::ptrdiff_t> columns(system.a.col_idx.begin(), system.a.col_idx.end());
    const std::vector<double> values(system.a.values.begin(), system.a.values.end());
    const auto a = std::tie(n, rows, columns, values);
    using Block = amgcl::static_matrix<double, 3, 3>;
    if (asked("blocks")) {
        run<Solver<Block, Block>, amgcl::static_matrix<double, 3, 1>>(system, amgcl::adapter::block_matrix<Block>(a),
                                                                      parameters);
    } else if (asked("single")) {
        run<Solver<float, double>, double>(system, a, parameters);
    } else {
        run<Solver<double, double>, double>(system, a, parameters);
    }
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
