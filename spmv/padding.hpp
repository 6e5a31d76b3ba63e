#pragma once

#include "stiefel/spmv/convert.hpp"

namespace stiefel {

/// Whether so many padded entries are within the limit for nnz of them.
inline bool is_within(PaddingLimit limit, Size n_padded, Size nnz) {
    return !(static_cast<double>(n_padded) > limit.factor * static_cast<double>(nnz));  // infinite times 0 is
}

/// Throws InvalidArgument if n_padded entries of entry_bytes each exceed the limit for nnz of them. `format` begins the
/// message: "ELLPACK with rows of 4000 entries".
void check_padding(PaddingLimit limit, const char* format, Index longest_row, Size n_padded, Size nnz,
                   Size entry_bytes);

}  // namespace stiefel
