#include "stiefel/spmv/choose_on_device.hpp"
#include "stiefel/spmv/choose_operator.hpp"

namespace stiefel {

template <class B, class T>
ChosenOperator<B, T> choose_operator(B& backend, Csr<T, typename B::memory> a, const RowStatistics& rows,
                                     const FormatChoice& choice) {
    return OperatorChooser<B, T, FormatContest<B, T, DeviceTerms>>(backend, rows, choice).choose(std::move(a));
}

template ChosenOperator<Cuda, double> choose_operator(Cuda&, DeviceCsr<double>, const RowStatistics&,
                                                      const FormatChoice&);
template ChosenOperator<Cuda, float> choose_operator(Cuda&, DeviceCsr<float>, const RowStatistics&,
                                                     const FormatChoice&);

}  // namespace stiefel
