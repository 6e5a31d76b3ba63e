#include "stiefel/dense/panel_elements.hpp"

#include "stiefel/dense/cuda/rows.cuh"

namespace stiefel {

template <class T>
void for_rows(Cuda& backend, Size n, Size, const RandomRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "filling a panel with random numbers");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const AssignRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "assigning a panel");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const ScaleRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "scaling the rows of a panel");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const RootRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "taking square roots");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const ChebyshevRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "a step of the Chebyshev iteration");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const CombineRows<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "combining panels");
}
template <class T>
void for_rows(Cuda& backend, Size n, Size, const KeepColumns<T, DeviceMemory>& operation) {
    run_rows(backend, n, operation, "keeping columns of a panel");
}

template void for_rows(Cuda&, Size, Size, const RandomRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const RandomRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const AssignRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const AssignRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const ScaleRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const ScaleRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const RootRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const RootRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const ChebyshevRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const ChebyshevRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const CombineRows<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const CombineRows<float, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const KeepColumns<double, DeviceMemory>&);
template void for_rows(Cuda&, Size, Size, const KeepColumns<float, DeviceMemory>&);

}  // namespace stiefel
