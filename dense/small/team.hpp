#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

// Small dense problems (a few to some hundred rows) are solved where the backend computes, by one team of threads: on a
// host one thread, on a device the threads of one block. Their algorithms are written once, against a team:
//     team.for_each(n, [&](Index i) { ... })   runs i = 0 .. n-1, in any order, and waits until all are done;
//                                              what it wrote is seen by the whole team afterwards
// Everything between two for_each is done by every thread of the team alike, so it may only read shared data.
// The algorithms are constexpr templates so that device code may call them as well.

/// The team of a host backend: one thread.
struct HostTeam {
    template <class F>
    constexpr void for_each(Index n, F&& f) const {
        for (Index i = 0; i < n; ++i) f(i);
    }
};

}  // namespace stiefel
