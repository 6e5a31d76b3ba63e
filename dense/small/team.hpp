#pragma once

#include "stiefel/core/types.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace stiefel {

// Small dense problems (a few to some hundred rows) are solved where the backend computes, by one team of threads: on a
// host one thread, on a device the threads of one block. Their algorithms are written once, against a team:
//     team.for_each(n, [&](Index i) { ... })   runs i = 0 .. n-1, in any order, and waits until all are done;
//                                              what it wrote is seen by the whole team afterwards
//     team.for_each_pair(n, m, [&](Index i, Index j) { ... })   the same for the elements of n x m matrices, whose rows
//                                              lie along the threads
//     team.for_each_pair_at_once(n, m, f)      does not wait first: f writes nothing that was read since the last wait
//     team.largest(n, size, value)             the i of the largest size(i) above 0, or -1, and value(i): see
//     leading_bits team.inverse_root(x)                     1 / sqrt(x)
// Everything between two for_each is done by every thread of the team alike, so it may only read shared data.
// The algorithms are constexpr templates so that device code may call them as well. Where i stands for a column of
// row-major matrices, an algorithm may take Team::lanes neighbouring columns at a time (see for_each_columns): a host
// fills its vector registers so, a block lays the columns on its threads.

/// What team.largest compares of a size that is not negative: its exponent and 12 bits behind the point, rounded, in
/// the upper 24 bits of the result. Sizes that agree in these count as equal and the first of them is taken, so that
/// rounding seldom decides; the place of one of up to 256 fits into the other 8 bits.
constexpr std::uint32_t leading_bits(double size) {
    constexpr int dropped = 40;
    constexpr std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    return static_cast<std::uint32_t>((std::bit_cast<std::uint64_t>(size) + half) >> dropped << 8);
}

/// What team.largest finds.
struct Largest {
    Index place = -1;
    double value = 0;
};

/// A set of numbers below `most`, the same in every thread of a team and in its registers.
template <Index most>
class IndexSet {
public:
    constexpr bool contains(Index i) const {
        std::uint64_t part = parts_[0];
        for (Index p = 1; p < n_parts; ++p) {
            if (i >= 64 * p) part = parts_[p];
        }
        return (part >> (i % 64) & 1) != 0;
    }
    constexpr void insert(Index i) {
        for (Index p = 0; p < n_parts; ++p) {
            if (i / 64 == p) parts_[p] |= std::uint64_t{1} << (i % 64);
        }
    }

private:
    static constexpr Index n_parts = (most + 63) / 64;
    std::uint64_t parts_[static_cast<std::size_t>(n_parts)] = {};
};

/// The team of a host backend: one thread.
struct HostTeam {
    static constexpr Index lanes = 8;

    template <class F>
    constexpr void for_each(Index n, F&& f) const {
        for (Index i = 0; i < n; ++i) f(i);
    }
    template <class F>
    constexpr void for_each_pair(Index n, Index m, F&& f) const {
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < m; ++j) f(i, j);
        }
    }
    template <class F>
    constexpr void for_each_pair_at_once(Index n, Index m, F&& f) const {
        for_each_pair(n, m, f);
    }
    template <class Size, class Value>
    constexpr Largest largest(Index n, Size&& size, Value&& value) const {
        Index place = -1;
        std::uint32_t most = 0;
        for (Index i = 0; i < n; ++i) {
            const std::uint32_t bits = leading_bits(size(i));
            if (bits <= most) continue;
            most = bits;
            place = i;
        }
        return place < 0 ? Largest{} : Largest{place, value(place)};
    }
    static double inverse_root(double x) { return 1 / std::sqrt(x); }
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
