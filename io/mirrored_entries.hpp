#pragma once

#include "stiefel/io/matrix_market_body.hpp"

#include <algorithm>
#include <vector>

namespace stiefel {

/// Where an entry of a symmetric matrix stands in the file, from 0 on, and in the matrix.
struct NumberedEntry {
    Index row = 0;
    Index col = 0;
    Size number = -1;

    /// Its place, or its mirror image's, in the lower triangle.
    Index lower_row() const { return std::max(row, col); }
    Index lower_col() const { return std::min(row, col); }
    bool is_upper() const { return row < col; }
};

/// A pair of entries that say the same place of a symmetric matrix, (i, j) and (j, i).
struct MirroredEntries {
    NumberedEntry earlier = {};
    NumberedEntry later = {};

    bool are_there() const { return later.number >= 0; }
};

/// The pair whose later entry comes first in the file, if there is one. Sorts: this is for the rare file that lists
/// entries of both triangles.
MirroredEntries find_mirrored_entries(std::vector<NumberedEntry>& entries);

/// Throws ParseError at the later of the two.
[[noreturn]] void refuse_mirrored_entries(const InputText& input, const ParsedHeader& header,
                                          const MirroredEntries& pair);

}  // namespace stiefel
