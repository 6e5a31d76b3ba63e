#include "stiefel/spmv/choose_on_host.hpp"
#include "stiefel/spmv/choose_operator.hpp"

namespace stiefel {

template <class B, class T>
ChosenOperator<B, T> choose_operator(B& backend, Csr<T, typename B::memory> a, const RowStatistics& rows,
                                     const FormatChoice& choice) {
    return OperatorChooser<B, T, FormatContest<B, T, HostTerms<B>>>(backend, rows, choice).choose(std::move(a));
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
