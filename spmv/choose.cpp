#include "stiefel/spmv/choose_operator.hpp"

namespace stiefel {

Index sell_sorting_window(const RowStatistics& rows) {
    const bool even = rows.deviation <= 0.25 * rows.mean;
    return even ? 1 : 8 * sell_slice_height;
}

template ChosenOperator<Serial, double> choose_operator(Serial&, HostCsr<double>, const RowStatistics&,
                                                        const FormatChoice&);
template ChosenOperator<Serial, float> choose_operator(Serial&, HostCsr<float>, const RowStatistics&,
                                                       const FormatChoice&);
template ChosenOperator<OpenMP, double> choose_operator(OpenMP&, HostCsr<double>, const RowStatistics&,
                                                        const FormatChoice&);
template ChosenOperator<OpenMP, float> choose_operator(OpenMP&, HostCsr<float>, const RowStatistics&,
                                                       const FormatChoice&);

}  // namespace stiefel
