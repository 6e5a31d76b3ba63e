#include "stiefel/preconditioner/triangular/device_solve.hpp"

#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/preconditioner/triangular/cuda/not_ready.hpp"

#include <utility>

namespace stiefel::triangular {

namespace {

template <class T>
TriangleShape shape_of(const DeviceTriangles<T>& triangles) {
    const DeviceTriangle<T>&lower = triangles.lower, &upper = triangles.upper;
    return {.n_rows = Size{2} * lower.n_rows(),
            .n_levels = Size{lower.n_levels()} + upper.n_levels(),
            .nonzeros = lower.values.size() + upper.values.size(),
            .longest_row = std::max(lower.longest_row, upper.longest_row),
            .element_bytes = sizeof(T)};
}

}  // namespace

template <class T>
DeviceSolve<T>::DeviceSolve(Cuda& backend, const LevelTriangles<T>& triangles, const TriangularKernel<T>* kernel,
                            Index columns)
    : triangles_(to_device(backend, triangles)),
      kernel_(kernel != nullptr ? kernel : &fastest_kernel<T>(shape_of(triangles_))),
      taken_(backend, 1) {
    backend.zero_bytes(taken_.data(), taken_.bytes());
    if (kernel_->has_flags) is_ready_ = DeviceVector<unsigned>(backend, n_rows());
    reserve(backend, columns);
}

template <class T>
void DeviceSolve<T>::reserve(Cuda& backend, Index columns) {
    if (columns <= columns_) return;
    of_lower_ = DeviceVector<T>();  // what is free again need not be had twice
    of_upper_ = DeviceVector<T>();
    of_lower_ = DeviceVector<T>(backend, Size{n_rows()} * columns);
    of_upper_ = DeviceVector<T>(backend, Size{n_rows()} * columns);
    columns_ = columns;
    fill(backend, not_ready_value<T>, of_lower_);
}

template <class T>
void DeviceSolve<T>::run(Cuda& backend, MatrixView<const T, DeviceMemory> r, MatrixView<T, DeviceMemory> z) const {
    const Index k = r.n_cols;
    require(k <= columns_, "ic: the panel has more columns than the preconditioner was made for");
    if (n_rows() == 0 || k == 0) return;
    const auto solve = [&](Substitution<T> s) {
        s.k = k;
        s.taken = taken_.data();
        s.is_ready = is_ready_.data();
        if (kernel_->has_flags) backend.zero_bytes(is_ready_.data(), is_ready_.bytes());
        kernel_->solve(backend, s);
    };
    solve({.a = &triangles_.lower,
           .source = r.data,
           .source_ld = r.ld,
           .x = of_lower_.data(),
           .to_clear = of_upper_.data()});
    solve({.a = &triangles_.upper,
           .source = of_lower_.data(),
           .source_ld = k,
           .x = of_upper_.data(),
           .result = z.data,
           .result_ld = z.ld,
           .to_clear = of_lower_.data()});
}

template class DeviceSolve<double>;
template class DeviceSolve<float>;

}  // namespace stiefel::triangular
