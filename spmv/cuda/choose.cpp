#include "stiefel/spmv/choose_operator.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

template ChosenOperator<Cuda, double> choose_operator(Cuda&, DeviceCsr<double>, const RowStatistics&,
                                                      const FormatChoice&);
template ChosenOperator<Cuda, float> choose_operator(Cuda&, DeviceCsr<float>, const RowStatistics&,
                                                     const FormatChoice&);

}  // namespace stiefel
