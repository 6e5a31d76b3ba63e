#pragma once

#include "stiefel/preconditioner/amg/grid_lines.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace stiefel::amg {

/// Where nodes lie on the grid that their matrix may come from: its lines, and their numbers on it. On hosts and
/// devices.
struct GridPlaces {
    const GridLines* lines;
    const Index* number_of = nullptr;  ///< its own number, where there are none

    constexpr Index number(Index i) const { return number_of != nullptr ? number_of[i] : i; }
};

/// How much a node wants to be paired with another, as a number: by their closeness, equally close ones by how near
/// their numbers on the grid are, and then by whether the pair begins at an even place of its line, so that lines of
/// equal couplings fall into pairs at once. No two that a node might be paired with are wanted as much. On hosts and
/// devices.
///
/// Closeness is what couples two nodes beside what couples either of them to another, so that it does not depend on how
/// rows are scaled, nor on what else stands in the diagonal: nodes at a boundary, or beside a jump of the coefficient,
/// are as close to each other as those inside, or cubes there would be shifted against those inside. For the same
/// reason closenesses down to four fifths count as equal, and so on by factors of the square root of 2
/// (jump_diffusion3d 100 of contrasts 1e1 to 1e8 takes 10, 14, 12 and 13 iterations so; 13, 18, 17 and 18 did when
/// couplings themselves were compared, to the tenth binary digit).
///
/// A pair has the number of its first node, in all passes: counted anew, those of lines with an odd number of nodes,
/// whose last ones are paired with each other, would lie now nearer and now farther from line to line.
///
/// Places are counted in each line of a grid anew. Where all lines begin alike, pairs lie side by side, and pairs of
/// pairs are squares and cubes; counted from the first number of all, they would be shifted against each other from one
/// line to the next wherever lines have an odd number of nodes. And the last node of such a line must not be paired
/// with that of the next before its own line is: what becomes of it would be long and flat. Either costs grids of odd
/// sizes iterations, three times as many in all.
struct PairWish {
    static constexpr std::uint32_t most_stride = 0x7fffffff;

    /// The square of the closeness of two nodes with a coupling, at most 1: what it is beside the largest coupling of
    /// one and of the other, whose reciprocals are given. 0 where they are not to be paired, as one of the two is
    /// coupled to another so much more, has a partner (its reciprocal is 0), or a number is NaN. The same bits for
    /// both.
    static constexpr float closeness(double coupling, double per_largest, double per_largest_of_other) {
        constexpr double least = (1 - 1e-9) * Strength::theta;  // an exact quarter counts, however it is rounded
        const double of_one = coupling * per_largest, of_other = coupling * per_largest_of_other;
        return of_one >= least && of_other >= least ? static_cast<float>(of_one * of_other) : 0.0F;
    }

    /// Of the node of number i for that of number j; not 0. The closeness is not 0.
    static constexpr std::uint64_t of(float closeness, Index i, Index j, const GridLines& lines) {
        return by_closeness(closeness, i, j) | by_place(i, j, lines);
    }

    /// What it can be, wherever lines begin.
    static constexpr std::uint64_t at_most(float closeness, Index i, Index j) {
        return by_closeness(closeness, i, j) | begins_even | is_ahead(i, j);
    }

    /// What of it does not depend on where lines begin. It is the same for two nodes at most, those so far ahead of i
    /// and so far behind: the other bits, which take longer, are to be found for these alone.
    static constexpr std::uint64_t by_closeness(float closeness, Index i, Index j) {
        constexpr float per_four_fifths_squared = 1.6F;
        constexpr int digits = 23;  // before which the exponent stands
        const std::uint32_t size = std::bit_cast<std::uint32_t>(closeness * per_four_fifths_squared) >> digits;
        const std::uint32_t nearness = most_stride - static_cast<std::uint32_t>(stride_of(i, j));
        return (std::uint64_t{size} << 33) | (std::uint64_t{nearness} << 2);
    }

    /// The other bits.
    static constexpr std::uint64_t by_place(Index i, Index j, const GridLines& lines) {
        const Index stride = stride_of(i, j);
        const auto [distance, offset, per_distance] = lines.of(stride);
        const double per_stride = 1.0 / stride;
        Size place = Size{std::min(i, j)} + offset;
        place -= quotient(place, per_distance) * distance;
        const bool begins_odd = (quotient(place, per_stride) & 1) != 0;
        return (begins_odd ? 0 : begins_even) | is_ahead(i, j);
    }

private:
    static constexpr std::uint64_t begins_even = 2;
    static constexpr std::uint64_t is_ahead(Index i, Index j) { return j > i ? 1 : 0; }
    static constexpr Index stride_of(Index i, Index j) { return std::max(GridLines::stride(i, j), 1); }
    /// a / b by the reciprocal of b, in a fraction of the time. Exact for integers of 32 bits: a half more than a lies
    /// half a b-th or farther from where the quotient changes, and rounding errors are smaller.
    static constexpr Size quotient(Size a, double per_b) {
        return static_cast<Size>((static_cast<double>(a) + 0.5) * per_b);
    }
};

}  // namespace stiefel::amg
