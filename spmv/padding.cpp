#include "stiefel/spmv/padding.hpp"

#include <fmt/format.h>

namespace stiefel {

void check_padding(PaddingLimit limit, const char* format, Index longest_row, Size n_padded, Size nnz,
                   Size entry_bytes) {
    if (is_within(limit, n_padded, nnz)) return;
    const double allowed = limit.factor * static_cast<double>(nnz);
    const auto bytes = static_cast<double>(entry_bytes);
    throw InvalidArgument(fmt::format(
        "{}: padding to the longest row ({} entries) would take {}, more than the limit of {} ({:g} times the {} "
        "without padding); take csr",
        format, longest_row, format_bytes(static_cast<Size>(static_cast<double>(n_padded) * bytes)),
        format_bytes(static_cast<Size>(allowed * bytes)), limit.factor, format_bytes(nnz * entry_bytes)));
}

}  // namespace stiefel
