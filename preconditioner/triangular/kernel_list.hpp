#pragma once

#include "stiefel/preconditioner/triangular/device_triangle.hpp"

#include <span>
#include <string_view>

namespace stiefel::triangular {

/// One substitution on a device, for panels of k columns:  X = T^-1 S,  rows of X by places, k elements apart.
template <class T>
struct Substitution {
    const DeviceTriangle<T>* a = nullptr;
    Index k = 1;
    const T* source = nullptr;  ///< S, its rows where a->source says, source_ld elements apart
    Size source_ld = 1;
    T* x = nullptr;
    T* result = nullptr;  ///< where X goes as well, result_ld elements apart: by rows where a has them, else by places
    Size result_ld = 1;

    // For kernels whose rows wait for each other.
    T* to_clear = nullptr;         ///< the X of the other triangle, which is made not ready
    unsigned* taken = nullptr;     ///< a number that is 0 between kernels
    unsigned* is_ready = nullptr;  ///< of each place, where the kernel asks for these
};

/// What the choice of a kernel hangs on: of the two triangles of a factor the sums, and the longest row.
struct TriangleShape {
    Size n_rows = 0;
    Size n_levels = 0;
    Size nonzeros = 0;
    Index longest_row = 0;
    double growth = 1;  ///< of errors in an expansion (expansion.hpp)
    Size element_bytes = 8;
};

/// A rung of the ladder of triangular solves.
template <class T>
struct TriangularKernel {
    static constexpr std::string_view format = "triangle";

    std::string_view name;
    std::string_view description;
    std::string_view source;  ///< in the literature; empty: ours
    void (*solve)(Cuda& backend, const Substitution<T>& s);
    double (*seconds)(const TriangleShape& shape);  ///< that an application to one column is expected to take
    bool has_flags = false;                         ///< asks for Substitution::is_ready, all 0
    bool marks_results = false;  ///< tells by X itself what is ready, so right-hand sides must lie elsewhere
    Expansion expansion = {};    ///< that it is made for
    double (*set_up_seconds)(const TriangleShape& shape) = nullptr;  ///< that making this is expected to take
};

/// From the plainest to the tuned.
template <class T>
std::span<const TriangularKernel<T>> triangular_kernels();

/// The one that is expected to take least time for so many applications, with what it takes to make ready for them.
template <class T>
const TriangularKernel<T>& fastest_kernel(const TriangleShape& shape, double applications);

}  // namespace stiefel::triangular
