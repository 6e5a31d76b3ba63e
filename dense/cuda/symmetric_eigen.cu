#include "stiefel/dense/small/run_on_block.cuh"
#include "stiefel/dense/small/symmetric_eigen.hpp"

namespace stiefel {

void symmetric_eigen(Cuda& backend, DeviceMatrix<const double> a, DeviceVector<double>& values,
                     DeviceMatrix<double> vectors) {
    check_symmetric_eigen(a, values.size(), vectors);
    if (a.n_rows == 0) return;
    auto memory = make_vector<double>(backend, SmallEigen::doubles(a.n_rows));
    auto order = make_vector<Index>(backend, a.n_rows);
    cuda::run_on_block(backend,
                       SymmetricEigenProblem{SmallEigen::in(a.n_rows, memory.data(), order.data()), a.data, a.ld,
                                             values.data(), vectors.data, vectors.ld},
                       "launching symmetric_eigen");
}

}  // namespace stiefel
