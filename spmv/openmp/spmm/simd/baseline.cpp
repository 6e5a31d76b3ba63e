#include "stiefel/spmv/openmp/spmm/simd/code.hpp"

namespace stiefel {

template void multiply_in_registers<Baseline>(const CsrRows<double, std::int32_t>&, const SpmmArguments<double>&, Size,
                                              Size);
template void multiply_in_registers<Baseline>(const CsrRows<double, std::int64_t>&, const SpmmArguments<double>&, Size,
                                              Size);
template void multiply_in_registers<Baseline>(const EllpackRows<double, EllpackLayout::row_major>&,
                                              const SpmmArguments<double>&, Size, Size);
template void multiply_in_registers<Baseline>(const EllpackRows<double, EllpackLayout::column_major>&,
                                              const SpmmArguments<double>&, Size, Size);
template void multiply_in_registers<Baseline>(const SellRows<double>&, const SpmmArguments<double>&, Size, Size);
template void multiply_in_registers<Baseline>(const CsrRows<float, std::int32_t>&, const SpmmArguments<float>&, Size,
                                              Size);
template void multiply_in_registers<Baseline>(const CsrRows<float, std::int64_t>&, const SpmmArguments<float>&, Size,
                                              Size);
template void multiply_in_registers<Baseline>(const EllpackRows<float, EllpackLayout::row_major>&,
                                              const SpmmArguments<float>&, Size, Size);
template void multiply_in_registers<Baseline>(const EllpackRows<float, EllpackLayout::column_major>&,
                                              const SpmmArguments<float>&, Size, Size);
template void multiply_in_registers<Baseline>(const SellRows<float>&, const SpmmArguments<float>&, Size, Size);

}  // namespace stiefel
