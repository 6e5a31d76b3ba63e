#pragma once

#include "stiefel/core/openmp.hpp"

#include <cstdint>

namespace stiefel {

/// The rows, longest first within each window of sigma, rows of a length in order; then n_rows for empty slots up to
/// n_slots. Empty if no row moved.
template <class Offset>
HostVector<Index> rows_by_length(OpenMP&, const Offset* row_ptr, Index n_rows, Size n_slots, Index sigma);

}  // namespace stiefel
