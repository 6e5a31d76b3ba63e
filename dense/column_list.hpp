#pragma once

#include "stiefel/core/types.hpp"

#include <cstdint>

namespace stiefel {

/// Some columns of a panel, ascending; small enough to travel as a kernel's argument.
struct ColumnList {
    std::uint8_t column[64] = {};
    Index count = 0;

    constexpr void add(Index j) { column[count++] = static_cast<std::uint8_t>(j); }

    static constexpr ColumnList first(Index n) {
        ColumnList list;
        for (Index j = 0; j < n; ++j) list.add(j);
        return list;
    }
};

}  // namespace stiefel
