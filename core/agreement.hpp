#pragma once

#include "stiefel/core/world.hpp"

#include <numeric>
#include <vector>

namespace stiefel {

/// What all processes of a world act by: the largest of what they found, which is not negative. So where one alone
/// wants to end, or has no memory left, all go the same way.
inline double agreed(const InWorld& backend, double found) {
    all_max(backend, &found, 1);
    return found;
}

/// The same for the smallest of positive numbers.
inline double agreed_least(const InWorld& backend, double found) {
    return backend.is_alone() ? found : 1 / agreed(backend, 1 / found);
}

/// Whether others wait for this process in what they do together.
inline bool has_world(const InWorld& backend) {
    return !backend.is_alone();
}

/// The rows of all processes, of which there are so many here.
template <class B>
Size rows_of_all(const B& backend, Size rows_here) {
    return static_cast<Size>(all_sum(backend, static_cast<double>(rows_here)));
}

/// The rows of the processes before this one: the number over all processes of the first row here.
template <class B>
Size rows_before(const B& backend, Size rows_here) {
    if (backend.is_alone()) return 0;
    const World* const world = backend.world();
    std::vector<double> rows(static_cast<std::size_t>(world->size()), 0.0);
    rows[static_cast<std::size_t>(world->rank())] = static_cast<double>(rows_here);
    all_sum(backend, rows.data(), static_cast<Size>(rows.size()));
    return static_cast<Size>(std::accumulate(rows.begin(), rows.begin() + world->rank(), 0.0));
}

}  // namespace stiefel
