#pragma once

#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market_header.hpp"

namespace stiefel {

struct EntryCounts {
    Size upper = 0;    ///< entries above the diagonal, where the matrix is symmetric or skew-symmetric
    Size lower = 0;    ///< and below it
    Size rounded = 0;  ///< integers that T could not hold
};

/// What the lines of a coordinate matrix hold, in the file's order and orientation.
template <class T>
struct CoordinateBody {
    HostVector<Index> row_idx;
    HostVector<Index> col_idx;
    HostVector<T> values;
    EntryCounts counts = {};
};

template <class T>
struct ArrayBody {
    HostVector<T> values;
    EntryCounts counts = {};
};

/// Parse the lines after the header in parallel. Throw ParseError for the first fault in the file.
template <class T>
CoordinateBody<T> parse_coordinate_body(const InputText& input, const ParsedHeader& header, const ReadOptions& options);
template <class T>
ArrayBody<T> parse_array_body(const InputText& input, const ParsedHeader& header, const ReadOptions& options);

/// Where entry number `entry` (from 0) stands in the text: looked up by reading it again, for messages.
struct EntryPlace {
    Size line = 0;
    Size column = 0;
};
EntryPlace find_entry(const InputText& input, const ParsedHeader& header, Size entry);

}  // namespace stiefel
