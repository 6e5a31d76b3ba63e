#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/world.hpp"

namespace stiefel {

/// What all processes of a world act by: the largest of what they found, which is not negative. So where one alone
/// wants to end, or has no memory left, all go the same way.
inline double agreed(const InWorld& backend, double found) {
    all_max(backend, &found, 1);
    return found;
}
inline double agreed(const Cuda&, double found) {
    return found;  // GPUs of one process
}

/// Whether others wait for this process in what they do together.
inline bool has_world(const InWorld& backend) {
    return backend.world() != nullptr;
}
inline bool has_world(const Cuda&) {
    return false;
}

/// The rows of all processes, of which there are so many here.
template <class B>
Size rows_of_all(const B& backend, Size rows_here) {
    return static_cast<Size>(all_sum(backend, static_cast<double>(rows_here)));
}

}  // namespace stiefel
