#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/preconditioner/triangular/kernel_list.hpp"

#include <algorithm>

namespace stiefel::triangular {

/// Z = L^-T L^-1 R for panels on a device, by a kernel of the ladder. An application waits for nothing on the host and
/// is made of kernels with fixed arguments; a row is summed in an order fixed by the factor, so bits repeat.
template <class T>
class DeviceSolve {
public:
    /// kernel: null for the one that is expected to be fastest. columns: the most that it will be applied to at once.
    DeviceSolve(Cuda& backend, const LevelTriangles<T>& triangles, const TriangularKernel<T>* kernel = nullptr,
                Index columns = 1);

    /// Of triangles that are there, as the kernel takes them. nonzeros, n_levels: of L.
    DeviceSolve(Cuda& backend, DeviceTriangles<T> triangles, Size nonzeros, Index n_levels,
                const TriangularKernel<T>& kernel, Index columns = 1);

    /// To be called before it is applied to panels of more columns.
    void reserve(Cuda& backend, Index columns);

    Index n_rows() const { return triangles_.lower.n_rows(); }
    Size nonzeros() const { return nonzeros_; }   ///< of L
    Index n_levels() const { return n_levels_; }  ///< of L
    Size bytes() const {
        return triangles_.bytes() + of_lower_.bytes() + of_upper_.bytes() + middle_.bytes() + is_ready_.bytes() +
               taken_.bytes();
    }
    const TriangularKernel<T>& kernel() const { return *kernel_; }

    /// Throws InvalidArgument for more columns than were reserved.
    void run(Cuda& backend, MatrixView<const T, DeviceMemory> r, MatrixView<T, DeviceMemory> z) const;

private:
    DeviceSolve(Cuda& backend, const LevelTriangles<T>& triangles, const TriangularKernel<T>& kernel, Index columns);

    const TriangularKernel<T>* kernel_;
    Size nonzeros_;
    Index n_levels_;
    DeviceTriangles<T> triangles_;
    Index columns_ = 0;
    // Scratch. Between applications all of of_lower_ is `not ready` (see cuda/readiness.cuh), taken_ is 0.
    mutable DeviceVector<T> of_lower_ = {}, of_upper_ = {}, middle_ = {};
    mutable DeviceVector<unsigned> taken_ = {}, is_ready_ = {};
};

}  // namespace stiefel::triangular
