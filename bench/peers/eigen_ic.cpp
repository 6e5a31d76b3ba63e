// Eigen's conjugate gradients with its incomplete Cholesky factorisation:  peer_eigen_ic A.mtx
#include "bench/peers/system.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

#include <iostream>

int main(int, char** argv) try {
    using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
    using Factor = Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::AMDOrdering<int>>;
    const stiefel::bench::System system(argv[1]);
    const auto n = system.a.n_rows;
    const Matrix a = Eigen::Map<const Matrix>(n, n, system.a.nnz(), system.row_ptr(), system.a.col_idx.data(),
                                              system.a.values.data());
    const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(system.b.data(), n);
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Factor> solver;
    solver.setTolerance(stiefel::bench::tolerance);
    solver.setMaxIterations(20000);
    stiefel::Stopwatch watch;
    solver.compute(a);
    const double setup = watch.restart();
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    long iterations = 0;
    double residual = 1;
    for (int k = 0; k < stiefel::bench::most_runs && !(residual <= stiefel::bench::tolerance); ++k) {
        x = solver.solveWithGuess(b, x).eval();
        iterations += solver.iterations();
        residual = system.residual(x.data());
        if (solver.iterations() == 0) break;
    }
    stiefel::bench::print_result(setup, watch.seconds(), iterations, residual);
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
