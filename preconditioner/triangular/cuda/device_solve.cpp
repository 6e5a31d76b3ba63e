#include "stiefel/preconditioner/triangular/device_solve.hpp"

#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/preconditioner/triangular/cuda/not_ready.hpp"
#include "stiefel/preconditioner/triangular/expansion.hpp"
#include "stiefel/preconditioner/triangular/triangle_shape.hpp"

#include <utility>

namespace stiefel::triangular {

template <class T>
TriangleShape shape_of(const LevelTriangles<T>& triangles) {
    TriangleShape shape{.element_bytes = sizeof(T)};
    for (const LevelTriangle<T>* a : {&triangles.lower, &triangles.upper}) {
        shape.n_rows += a->n_rows();
        shape.n_levels += a->n_levels();
        shape.nonzeros += a->values.size();
        for (Index k = 0; k < a->n_rows(); ++k) {
            shape.longest_row = std::max(shape.longest_row, static_cast<Index>(a->row_start[k + 1] - a->row_start[k]));
        }
        shape.growth = std::max(shape.growth, growth(*a, triangles.inverse));
    }
    return shape;
}

template <class T>
DeviceSolve<T>::DeviceSolve(Cuda& backend, const LevelTriangles<T>& triangles, const TriangularKernel<T>* kernel,
                            Index columns)
    : DeviceSolve(backend, triangles,
                  kernel != nullptr ? *kernel : fastest_kernel<T>(shape_of(triangles), applications_of_solve),
                  columns) {}

template <class T>
DeviceSolve<T>::DeviceSolve(Cuda& backend, const LevelTriangles<T>& triangles, const TriangularKernel<T>& kernel,
                            Index columns)
    : DeviceSolve(backend, to_device(backend, triangles, kernel.expansion), triangles.nonzeros(),
                  triangles.lower.n_levels(), kernel, columns) {}

template <class T>
DeviceSolve<T>::DeviceSolve(Cuda& backend, DeviceTriangles<T> triangles, Size nonzeros, Index n_levels,
                            const TriangularKernel<T>& kernel, Index columns)
    : kernel_(&kernel), nonzeros_(nonzeros), n_levels_(n_levels), triangles_(std::move(triangles)), taken_(backend, 1) {
    backend.zero_bytes(taken_.data(), taken_.bytes());
    if (kernel_->has_flags) is_ready_ = DeviceVector<unsigned>(backend, n_rows());
    reserve(backend, columns);
}

template <class T>
void DeviceSolve<T>::reserve(Cuda& backend, Index columns) {
    if (columns <= columns_) return;
    for (DeviceVector<T>* scratch : {&of_lower_, &of_upper_, &middle_}) {
        *scratch = DeviceVector<T>();  // what is free again need not be had twice
    }
    const Size size = Size{n_rows()} * columns;
    of_lower_ = DeviceVector<T>(backend, size);
    of_upper_ = DeviceVector<T>(backend, size);
    if (kernel_->marks_results) middle_ = DeviceVector<T>(backend, size);
    columns_ = columns;
    fill(backend, not_ready_value<T>, of_lower_);
}

template <class T>
void DeviceSolve<T>::run(Cuda& backend, MatrixView<const T, DeviceMemory> r, MatrixView<T, DeviceMemory> z) const {
    const Index k = r.n_cols;
    require(k <= columns_, "triangular solves: the panel has more columns than they were made for");
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
           .result = middle_.data(),
           .result_ld = k,
           .to_clear = of_upper_.data()});
    solve({.a = &triangles_.upper,
           .source = kernel_->marks_results ? middle_.data() : of_lower_.data(),
           .source_ld = k,
           .x = of_upper_.data(),
           .result = z.data,
           .result_ld = z.ld,
           .to_clear = of_lower_.data()});
}

template class DeviceSolve<double>;
template class DeviceSolve<float>;
template TriangleShape shape_of(const LevelTriangles<double>&);
template TriangleShape shape_of(const LevelTriangles<float>&);

}  // namespace stiefel::triangular
