#include "stiefel/dense/small/symmetric_eigen.hpp"

#include "stiefel/dense/small/run.hpp"

namespace stiefel {

namespace {

template <class B>
void solve(B& backend, HostMatrix<const double> a, HostVector<double>& values, HostMatrix<double> vectors) {
    check_symmetric_eigen(a, values.size(), vectors);
    HostVector<double> memory(SmallEigen::doubles(a.n_rows));
    HostVector<Index> order(a.n_rows);
    run_small(backend, SymmetricEigenProblem{SmallEigen::in(a.n_rows, memory.data(), order.data()), a.data, a.ld,
                                             values.data(), vectors.data, vectors.ld});
}

}  // namespace

void symmetric_eigen(Serial& backend, HostMatrix<const double> a, HostVector<double>& values,
                     HostMatrix<double> vectors) {
    solve(backend, a, values, vectors);
}

void symmetric_eigen(OpenMP& backend, HostMatrix<const double> a, HostVector<double>& values,
                     HostMatrix<double> vectors) {
    solve(backend, a, values, vectors);
}

}  // namespace stiefel
