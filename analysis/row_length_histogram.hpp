#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <vector>

namespace stiefel {

/// How many rows have about so many entries. Without gaps from the shortest to the longest; empty without rows.
struct RowLengthHistogram {
    struct Bin {
        Index first = 0;  ///< the least length that counts here ...
        Index last = 0;   ///< ... and the greatest
        Size rows = 0;
    };

    std::vector<Bin> bins = {};
    bool is_logarithmic = false;  ///< a bin reaches up to twice where it begins: 0, 1, 2-3, 4-7, ...
};

/// A bin a length where at most 32 of them are needed, else as many of one width, or logarithmic ones where the longest
/// row has more than eight times the entries of the shortest. One pass over the offsets; `rows` are A's statistics.
RowLengthHistogram row_length_histogram(const RowOffsets<HostMemory>& row_ptr, const RowStatistics& rows);

}  // namespace stiefel
