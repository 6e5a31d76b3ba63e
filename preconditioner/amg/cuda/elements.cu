#include "stiefel/preconditioner/amg/elements.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/dense/cuda/rows.cuh"

namespace stiefel::amg {

template <class S>
void for_rows(Cuda& backend, Size n, Size, const BeginFromZero<S>& operation) {
    run_rows(backend, n, operation, "smoothing from zero");
}
template <class S>
void for_rows(Cuda& backend, Size n, Size, const BeginFromCorrection<S>& operation) {
    run_rows(backend, n, operation, "smoothing after a correction");
}
template <class S>
void for_rows(Cuda& backend, Size n, Size, const Continue<S>& operation) {
    run_rows(backend, n, operation, "smoothing");
}
template <class S>
void for_rows(Cuda& backend, Size n, Size, const WeightedStep<S>& operation) {
    run_rows(backend, n, operation, "a weighted step of smoothing");
}
template <class From, class To>
void for_rows(Cuda& backend, Size n, Size, const Scaled<From, To>& operation) {
    run_rows(backend, n, operation, "visiting a level twice");
}
template <class S>
void for_rows(Cuda& backend, Size n, Size, const AddVisits<S>& operation) {
    run_rows(backend, n, operation, "having visited a level twice");
}
template <class T, class S>
void for_rows(Cuda& backend, Size n, Size, const Enter<T, S>& operation) {
    run_rows(backend, n, operation, "entering a cycle");
}
template <class T, class S>
void for_rows(Cuda& backend, Size n, Size, const Leave<T, S>& operation) {
    run_rows(backend, n, operation, "leaving a cycle");
}
template <class T, class S>
void for_rows(Cuda& backend, Size n, Size, const EnterRows<T, S>& operation) {
    run_rows(backend, n, operation, "entering a cycle");
}
template <class T, class S>
void for_rows(Cuda& backend, Size n, Size, const LeaveRows<T, S>& operation) {
    run_rows(backend, n, operation, "leaving a cycle");
}
template <class S>
void for_rows(Cuda& backend, Size n, Size, const RandomSide<S>& operation) {
    run_rows(backend, n, operation, "making a random right-hand side");
}

template void for_rows(Cuda&, Size, Size, const RandomSide<double>&);
template void for_rows(Cuda&, Size, Size, const RandomSide<float>&);
template void for_rows(Cuda&, Size, Size, const BeginFromZero<double>&);
template void for_rows(Cuda&, Size, Size, const BeginFromCorrection<double>&);
template void for_rows(Cuda&, Size, Size, const Continue<double>&);
template void for_rows(Cuda&, Size, Size, const BeginFromZero<float>&);
template void for_rows(Cuda&, Size, Size, const BeginFromCorrection<float>&);
template void for_rows(Cuda&, Size, Size, const Continue<float>&);
template void for_rows(Cuda&, Size, Size, const WeightedStep<double>&);
template void for_rows(Cuda&, Size, Size, const Scaled<double, double>&);
template void for_rows(Cuda&, Size, Size, const AddVisits<double>&);
template void for_rows(Cuda&, Size, Size, const WeightedStep<float>&);
template void for_rows(Cuda&, Size, Size, const Scaled<float, double>&);
template void for_rows(Cuda&, Size, Size, const Scaled<double, float>&);
template void for_rows(Cuda&, Size, Size, const AddVisits<float>&);
template void for_rows(Cuda&, Size, Size, const EnterRows<double, float>&);
template void for_rows(Cuda&, Size, Size, const Enter<double, float>&);
template void for_rows(Cuda&, Size, Size, const LeaveRows<double, float>&);
template void for_rows(Cuda&, Size, Size, const Leave<double, float>&);
template void for_rows(Cuda&, Size, Size, const EnterRows<double, double>&);
template void for_rows(Cuda&, Size, Size, const Enter<double, double>&);
template void for_rows(Cuda&, Size, Size, const LeaveRows<double, double>&);
template void for_rows(Cuda&, Size, Size, const Leave<double, double>&);
template void for_rows(Cuda&, Size, Size, const EnterRows<float, float>&);
template void for_rows(Cuda&, Size, Size, const EnterRows<float, double>&);
template void for_rows(Cuda&, Size, Size, const Enter<float, float>&);
template void for_rows(Cuda&, Size, Size, const Enter<float, double>&);
template void for_rows(Cuda&, Size, Size, const LeaveRows<float, float>&);
template void for_rows(Cuda&, Size, Size, const LeaveRows<float, double>&);
template void for_rows(Cuda&, Size, Size, const Leave<float, float>&);
template void for_rows(Cuda&, Size, Size, const Leave<float, double>&);

}  // namespace stiefel::amg
