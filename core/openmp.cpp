#include "stiefel/core/openmp.hpp"

#include <omp.h>

namespace stiefel {

OpenMP::OpenMP(int threads) : threads_(threads > 0 ? threads : omp_get_max_threads()) {
    require(threads >= 0, "OpenMP: the number of threads must not be negative");
}

double* OpenMP::partials(Size n) {
    if (partials_.size() < n) partials_ = HostVector<double>(n);
    return partials_.data();
}

}  // namespace stiefel
