#include "stiefel/core/openmp.hpp"

#include <omp.h>

namespace stiefel {

OpenMP::OpenMP(int threads) : threads_(threads > 0 ? threads : omp_get_max_threads()) {
    require(threads >= 0, "OpenMP: the number of threads must not be negative");
}

}  // namespace stiefel
