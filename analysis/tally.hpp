#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// How many rows have a property, and the first that has it.
struct RowTally {
    Size count = 0;
    Index first = -1;  ///< zero-based; -1 if there is none

    constexpr void add(Index row) { merge({1, row}); }

    constexpr void merge(const RowTally& other) {
        if (other.count > 0 && (count == 0 || other.first < first)) first = other.first;
        count += other.count;
    }
};

/// How many entries have a property, and the first in row order that has it.
struct EntryTally {
    Size count = 0;
    Index first_row = -1;  ///< zero-based; -1 if there is none
    Index first_col = -1;

    constexpr void add(Index row, Index col) { merge({1, row, col}); }

    constexpr void merge(const EntryTally& other) {
        const bool earlier =
            other.first_row < first_row || (other.first_row == first_row && other.first_col < first_col);
        if (other.count > 0 && (count == 0 || earlier)) {
            first_row = other.first_row;
            first_col = other.first_col;
        }
        count += other.count;
    }
};

}  // namespace stiefel
