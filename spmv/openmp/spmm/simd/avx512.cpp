#include "stiefel/spmv/openmp/spmm/simd/code.hpp"

namespace stiefel {

template RowsKernel<CsrRows<double, std::int32_t>> rows_kernel<Avx512>();
template RowsKernel<CsrRows<double, std::int64_t>> rows_kernel<Avx512>();
template RowsKernel<EllpackRows<double, EllpackLayout::row_major>> rows_kernel<Avx512>();
template RowsKernel<EllpackRows<double, EllpackLayout::column_major>> rows_kernel<Avx512>();
template RowsKernel<SellRows<double>> rows_kernel<Avx512>();
template RowsKernel<CsrRows<float, std::int32_t>> rows_kernel<Avx512>();
template RowsKernel<CsrRows<float, std::int64_t>> rows_kernel<Avx512>();
template RowsKernel<EllpackRows<float, EllpackLayout::row_major>> rows_kernel<Avx512>();
template RowsKernel<EllpackRows<float, EllpackLayout::column_major>> rows_kernel<Avx512>();
template RowsKernel<SellRows<float>> rows_kernel<Avx512>();

}  // namespace stiefel
