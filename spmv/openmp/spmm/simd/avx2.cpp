#include "stiefel/spmv/openmp/spmm/simd/code.hpp"

namespace stiefel {

template struct RowsKernels<Avx2, double>;
template struct RowsKernels<Avx2, float>;

}  // namespace stiefel
