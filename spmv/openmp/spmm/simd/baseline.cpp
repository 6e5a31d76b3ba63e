#include "stiefel/spmv/openmp/spmm/simd/code.hpp"

namespace stiefel {

template struct RowsKernels<Baseline, double>;
template struct RowsKernels<Baseline, float>;

}  // namespace stiefel
