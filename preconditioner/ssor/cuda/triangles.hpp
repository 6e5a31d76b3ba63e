#pragma once

#include "stiefel/preconditioner/ssor/cuda/colouring.hpp"
#include "stiefel/preconditioner/ssor/options.hpp"

namespace stiefel::ssor {

/// F and F' of relaxation_triangles() as a device solves with them: rows by their numbers, without the diagonal, each
/// over its own of F.
template <class T>
struct DeviceRelaxation {
    DeviceCsr<T> lower = {}, upper = {};
    DeviceVector<T> inverse = {};  ///< of F's diagonal
    Index longest_row = 0;
    bool is_bad = false;  ///< a diagonal entry is not positive and finite, or another not finite; the rest says nothing
};

/// a: square.                                                                               2 passes over A, one wait
template <class T>
DeviceRelaxation<T> relaxation_triangles(Cuda& backend, const DeviceCsr<T>& a, const DeviceColouring& colouring,
                                         const Options& options);

}  // namespace stiefel::ssor
