#pragma once

#include <array>
#include <string_view>

namespace stiefel::amg {

/// What leads from the finest level to the second.
struct CoarseningKind {
    std::string_view name;
    std::string_view description;
    std::string_view source;
};

namespace coarsening_names {
inline constexpr std::string_view automatic = "auto", smoothed = "smoothed", pairs = "pairs";
}

inline constexpr std::array<CoarseningKind, 3> coarsenings{{
    {coarsening_names::automatic, "pairs where smoothed aggregation would fill the second level", ""},
    {coarsening_names::smoothed, "smoothed aggregation", "Vanek, Mandel and Brezina 1996"},
    {coarsening_names::pairs, "pairs of pairs on the finest level, for one unknown a node, smoothed aggregation below",
     "Notay 2010; Braess 1995"},
}};

}  // namespace stiefel::amg
