#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/memory.hpp"

#include <type_traits>

namespace stiefel {

/// A row-major matrix in memory that someone else owns: element (i, j) is data[i ld + j], ld >= n_cols. Columns
/// n_cols .. ld - 1 of each row belong to others and are neither read nor written.
template <class T, class Memory>
struct MatrixView {
    T* data = nullptr;
    Index n_rows = 0;
    Index n_cols = 0;
    Size ld = 0;

    /// A matrix may be read wherever a view of constants is asked for.
    template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>) operator MatrixView<U, Memory>() const {
        return {data, n_rows, n_cols, ld};
    }
};

template <class T>
using HostMatrix = MatrixView<T, HostMemory>;
template <class T>
using DeviceMatrix = MatrixView<T, DeviceMemory>;

/// The matrices that a backend's kernels take.
template <class B, class T>
using MatrixOf = MatrixView<T, typename B::memory>;

/// What multiplies: the matrix as it is stored, or its transpose.
enum class Op { none, transpose };

/// The vector's elements as n_rows x n_cols, row after row. Throws InvalidArgument if the vector is too short.
template <class T, class Memory>
MatrixView<T, Memory> as_matrix(Vector<T, Memory>& v, Index n_rows, Index n_cols) {
    require(n_rows >= 0 && n_cols >= 0, "as_matrix: n_rows and n_cols must not be negative");
    require(Size{n_rows} * n_cols <= v.size(), "as_matrix: the vector has fewer than n_rows * n_cols elements");
    return {v.data(), n_rows, n_cols, n_cols > 0 ? n_cols : 1};
}
template <class T, class Memory>
MatrixView<const T, Memory> as_matrix(const Vector<T, Memory>& v, Index n_rows, Index n_cols) {
    require(n_rows >= 0 && n_cols >= 0, "as_matrix: n_rows and n_cols must not be negative");
    require(Size{n_rows} * n_cols <= v.size(), "as_matrix: the vector has fewer than n_rows * n_cols elements");
    return {v.data(), n_rows, n_cols, n_cols > 0 ? n_cols : 1};
}

}  // namespace stiefel
