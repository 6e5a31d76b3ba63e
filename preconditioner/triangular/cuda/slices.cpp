#include "stiefel/preconditioner/triangular/cuda/slices.hpp"

#include <algorithm>

namespace stiefel::triangular {

namespace {

/// Entries that a lane takes before another is worth its share of the final sum.
constexpr Size entries_per_lane = 4;

/// How many levels before its own the gate of a row lies: near enough to keep warps that have to wait for long from
/// asking for all they need, far enough to be passed before that is there.
constexpr Index gate_levels = 2;

Index lanes_for(Size length) {
    Index lanes = 1;
    while (lanes < Slice::warp && lanes * entries_per_lane < length) lanes *= 2;
    return lanes;
}

}  // namespace

SliceOrder in_slices(const HostVector<Index>& level_start, const HostVector<Size>& length) {
    SliceOrder order{.nth = HostVector<Index>(length.size())};
    const Index n_levels = static_cast<Index>(level_start.size()) - 1;
    Index place = 0;
    for (Index level = 0; level < n_levels; ++level) {
        const Index first = level_start[level], last = level_start[level + 1];
        const Index gate = level < gate_levels ? -1 : level_start[level - gate_levels + 1] - 1;
        Index most = 1;
        for (Index k = first; k < last; ++k) most = std::max(most, lanes_for(length[k]));
        for (Index lanes = 1; lanes <= most; lanes *= 2) {
            Index begin = place;
            for (Index k = first; k < last; ++k) {
                if (lanes_for(length[k]) == lanes) order.nth[place++] = k;
            }
            for (; begin < place; begin += Slice::warp / lanes) {
                order.slices.push_back({begin, std::min(Slice::warp / lanes, place - begin), lanes, gate});
            }
        }
    }
    return order;
}

}  // namespace stiefel::triangular
