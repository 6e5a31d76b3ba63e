#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>
#include <limits>

namespace stiefel::amg {

/// Where a matrix may come from a grid: by how much the numbers of coupled nodes differ in most rows, and how far the
/// lines lie apart whose nodes differ by so much. Lines of x of a grid of 60 x 50 nodes have stride 1 and lie 60 apart.
/// On hosts and devices.
struct GridLines {
    static constexpr int most = 16;
    static constexpr int samples = 64;        ///< rows that are looked at, as far from each other as from the ends
    static constexpr int frequent = 16;       ///< a stride is one of the grid's if so many of them have it
    static constexpr Index longest_row = 32;  ///< others are no row of a grid
    static constexpr Index none = std::numeric_limits<Index>::max();  ///< the distance where there is one line

    /// How far the lines of a stride lie apart, and what to add to a number so that the first line begins at 0.
    struct Lines {
        Index distance = none;
        Index offset = 0;
        double per_distance = 0;  ///< the reciprocal of the distance, 0 for none
    };

    /// Along which nodes are numbered, and the lines along it.
    struct Axis {
        Index stride = 0;
        Lines lines;
    };
    static constexpr int most_axes = 4;

    int count = 0;
    Index strides[most] = {};  ///< ascending
    int n_axes = 0;
    Axis axes[most_axes] = {};  ///< ascending

    static constexpr Index sample(int k, Index n_rows) {
        return static_cast<Index>((Size{2} * k + 1) * n_rows / (Size{2} * samples));
    }
    static constexpr Index stride(Index i, Index j) { return i > j ? i - j : j - i; }

    constexpr bool has(Index stride) const { return std::find(strides, strides + count, stride) != strides + count; }

    /// Takes in a stride, unless it is known or there are too many.
    constexpr void add(Index stride) {
        if (count == most || has(stride)) return;
        int place = count++;
        for (; place > 0 && strides[place - 1] > stride; --place) strides[place] = strides[place - 1];
        strides[place] = stride;
    }

    /// To be called when all are known. One after another the axes are found: where the stencil has diagonals the next
    /// stride in whose midst it is, as 60 in that of 59, 60 and 61, and 1; else the next that is not made of those
    /// before.
    ///
    /// begin(stride, distance): a number, below the distance, at which a line of that axis begins: of the first where
    /// rows are those of a part of a grid.
    template <class Begin>
    constexpr void measure(const Begin& begin) {
        for (Index next = next_axis(); next != none && n_axes < most_axes; next = next_axis()) {
            axes[n_axes++].stride = next;
        }
        for (int a = 0; a < n_axes; ++a) {
            const bool is_last = a + 1 == n_axes;
            const Index distance = is_last ? none : axes[a + 1].stride;
            const Index first = is_last ? 0 : begin(axes[a].stride, distance);
            axes[a].lines = {distance, first > 0 ? distance - first : 0, is_last ? 0.0 : 1.0 / distance};
            if (!is_last || a == 0) continue;
            // Planes begin where the first of their lines does; less than half a plane before that counts as none.
            const Index of_plane = axes[a].stride, offset = axes[a - 1].lines.offset;
            const Index before = (of_plane - offset) % of_plane;
            axes[a].lines.offset = offset + (before > 0 && before < of_plane / 2 ? of_plane : 0);
        }
    }

    /// Those that a stride leads along: of the last axis whose stride it reaches, as nodes of coarser grids lie two
    /// or more of these apart.
    constexpr Lines of(Index stride) const {
        Lines found;
        for (int a = 0; a < n_axes && axes[a].stride <= stride; ++a) found = axes[a].lines;
        return found;
    }

private:
    /// Whether a stride goes at most one step along each axis, forward or back.
    constexpr bool make(Index stride) const {
        int ways = 1;
        for (int a = 0; a < n_axes; ++a) ways *= 3;
        for (int way = 0; way < ways; ++way) {
            Index left = stride;
            for (int a = 0, steps = way; a < n_axes; ++a, steps /= 3) left -= (steps % 3 - 1) * axes[a].stride;
            if (left == 0) return true;
        }
        return false;
    }

    constexpr Index next_axis() const {
        const Index last = n_axes > 0 ? axes[n_axes - 1].stride : 0;
        Index first_new = none;
        for (int s = 0; s < count; ++s) {
            const Index c = strides[s];
            if (c <= last || make(c)) continue;
            bool is_amidst = n_axes > 0;
            for (int a = 0; a < n_axes; ++a) {
                is_amidst = is_amidst && has(c - axes[a].stride) && has(c + axes[a].stride);
            }
            if (is_amidst) return c;
            first_new = std::min(first_new, c);
        }
        return first_new;
    }
};

/// Of a matrix by its rows: row(i) has cols and n.
template <class Rows>
GridLines grid_lines(const Rows& rows, Index n_rows) {
    GridLines lines;
    const auto row_of_sample = [&](int k) {
        auto row = rows.row(GridLines::sample(k, n_rows));
        if (row.n > GridLines::longest_row) row.n = 0;
        return row;
    };
    const auto has = [&](int k, Index stride) {
        const Index i = GridLines::sample(k, n_rows);
        const auto row = row_of_sample(k);
        return std::any_of(row.cols, row.cols + row.n, [&](Index j) { return GridLines::stride(i, j) == stride; });
    };
    for (int k = 0; n_rows > 0 && k < GridLines::samples; ++k) {
        const Index i = GridLines::sample(k, n_rows);
        const auto row = row_of_sample(k);
        for (Size e = 0; e < row.n; ++e) {
            const Index stride = GridLines::stride(i, row.cols[e]);
            if (stride == 0 || lines.has(stride)) continue;
            int found = 0;
            for (int other = 0; other < GridLines::samples; ++other) found += has(other, stride) ? 1 : 0;
            if (found >= GridLines::frequent) lines.add(stride);
        }
    }
    lines.measure([&](Index stride, Index distance) {
        const auto has_before = [&](Index i) {
            const auto row = rows.row(i);
            return std::find(row.cols, row.cols + row.n, i - stride) != row.cols + row.n;
        };
        // After the first line, before which the part may end.
        const auto end = static_cast<Index>(std::min<Size>(n_rows, Size{distance} + 2 * Size{stride} + 1));
        for (Index i = stride + 1; i < end; ++i) {
            if (!has_before(i) && has_before(i - 1)) return i % distance;
        }
        return Index{0};
    });
    return lines;
}

}  // namespace stiefel::amg
