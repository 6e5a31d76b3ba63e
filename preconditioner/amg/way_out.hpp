#pragma once

namespace stiefel::amg {

/// Where the x of the finest level goes, and what the last step of its smoother takes along:
/// z = scale x  and  *dot = <r, z>, where r is what M was applied to. In the backend's memory.
template <class T>
struct WayOut {
    const T* scale;
    const T* r;
    T* z;
    double* dot;
};

}  // namespace stiefel::amg
