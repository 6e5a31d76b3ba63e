#pragma once

#include "stiefel/preconditioner/triangular/device_triangle.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <vector>

namespace stiefel::triangular {

/// A triangle whose entries are on a device: sums of sparse matrices, rows as they are numbered, for
///   x = early D^-1 b - late x.
template <class T>
struct TriangleTerms {
    struct Term {
        DeviceCsr<T> matrix = {};
        T factor = 1;
    };

    LevelOrder order = {};         ///< of late
    std::vector<Term> early = {};  ///< none: the identity
    std::vector<Term> late = {};
};

/// See Expansion. inverse: of L's diagonal.
template <class T>
TriangleTerms<T> expanded(Cuda& backend, const LevelTriangle<T>& a, const HostVector<T>& inverse, Side side,
                          const Expansion& expansion);

/// Puts them together where they are; what the host does is of rows. Throws as the other to_device().
template <class T>
DeviceTriangles<T> to_device(Cuda& backend, const TriangleTerms<T>& lower, const TriangleTerms<T>& upper,
                             const HostVector<T>& inverse);

}  // namespace stiefel::triangular
