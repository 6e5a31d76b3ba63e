// Solves A x = b with A from a Matrix Market file (plain, .gz or SuiteSparse's .tar.gz) and b = A 1, so that the
// solution is known: solve_file A.mtx
#include "stiefel/core/backend.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

int main(int argc, char** argv) try {
    using namespace stiefel;
    if (argc != 2) {
        std::cerr << "usage: solve_file A.mtx\n";
        return 1;
    }
    OpenMP backend;

    const MatrixMarket<double> file = read_matrix<double>(argv[1]);
    for (const std::string& note : file.notes) std::cerr << note << '\n';
    const HostCsr<double> a = csr_from_coo(backend, file.coo).csr;

    const HostVector<double> ones(a.n_cols, 1.0);
    HostVector<double> b(a.n_rows);
    spmv(backend, a, ones, b);

    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult result = cg(backend, a, b, x);

    double error = 0;
    for (double value : x.span()) error = std::max(error, std::abs(value - 1));
    std::cout << to_string(result.reason) << " in " << result.iterations
              << " iterations, |b - A x| / |b| = " << result.relative_residual << ", largest error " << error << '\n';
    return result.reason == StopReason::converged ? 0 : 3;
} catch (const stiefel::Error& error) {
    std::cerr << error.what() << '\n';  // for a fault in the file: its name, line and column
    return 2;
}
