#include "stiefel/spmv/openmp/spmm/simd/code.hpp"

namespace stiefel {

template struct RowsKernels<Avx512, double>;
template struct RowsKernels<Avx512, float>;

}  // namespace stiefel
