#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/dense/matrix_view.hpp"

namespace stiefel {

template <class T>
using DeviceMatrix = MatrixView<T, DeviceMemory>;

}  // namespace stiefel
