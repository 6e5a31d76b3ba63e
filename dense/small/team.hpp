#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

// Small dense problems (a few to some hundred rows) are solved where the backend computes, by one team of threads: on a
// host one thread, on a device the threads of one block. Their algorithms are written once, against a team:
//     team.for_each(n, [&](Index i) { ... })   runs i = 0 .. n-1, in any order, and waits until all are done;
//                                              what it wrote is seen by the whole team afterwards
// Everything between two for_each is done by every thread of the team alike, so it may only read shared data.
// The algorithms are constexpr templates so that device code may call them as well. Where i stands for a column of
// row-major matrices, an algorithm may take Team::lanes neighbouring columns at a time (see for_each_columns): a host
// fills its vector registers so, a block lays the columns on its threads.

/// The team of a host backend: one thread.
struct HostTeam {
    static constexpr Index lanes = 8;

    template <class F>
    constexpr void for_each(Index n, F&& f) const {
        for (Index i = 0; i < n; ++i) f(i);
    }
};

/// f(j) for the first column j of each group of Team::lanes that covers n columns; the last group may reach beyond n,
/// so rows are padded to round_up_to_lanes(n).
template <class Team, class F>
constexpr void for_each_columns(const Team& team, Index n, F&& f) {
    team.for_each((n + Team::lanes - 1) / Team::lanes, [&](Index group) { f(group * Team::lanes); });
}

/// The length to which rows of n elements are padded, for any team.
constexpr Index round_up_to_lanes(Index n) {
    return (n + HostTeam::lanes - 1) / HostTeam::lanes * HostTeam::lanes;
}

}  // namespace stiefel
