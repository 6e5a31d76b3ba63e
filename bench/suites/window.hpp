#pragma once

#include "stiefel/core/random.hpp"
#include "stiefel/core/types.hpp"

#include <algorithm>

namespace stiefel::bench {

/// Columns begin, begin + 1, ..., end - 1.
struct Window {
    Index begin = 0;
    Index end = 0;
    Index width() const { return end - begin; }
};

/// Those within reach of the diagonal, or more where a row of this length needs them.
inline Window window_around(Index row, Index length, Index reach, Index n) {
    const Size width = std::min<Size>(n, std::max<Size>(2 * Size{reach} + 1, length));
    const Size begin = std::clamp<Size>(row - width / 2, 0, n - width);
    return {static_cast<Index>(begin), static_cast<Index>(begin + width)};
}

/// f(column) for `length` columns of the window, ascending: runs of `run` side by side, each at a random place of a
/// cell of its own; so they are distinct, and evenly spread. length <= window.width().
template <class F>
void for_columns(Window window, Index length, Index run, const RandomRow& random, F&& f) {
    if (length == 0) return;
    const Size n_runs = (Size{length} + run - 1) / run;
    const Size width = window.width();
    Index left = length;
    for (Size r = 0; r < n_runs; ++r) {
        // Cells are as long as their runs at least: they share the width as runs share the length.
        const Size begin = width * (length - left) / length;
        const Index taken = std::min(run, left);
        const Size end = width * (length - left + taken) / length;
        left -= taken;
        const Size first = window.begin + begin + random.below(r, end - begin - taken + 1);
        for (Index k = 0; k < taken; ++k) f(static_cast<Index>(first + k));
    }
}

}  // namespace stiefel::bench
