#pragma once

#include "stiefel/preconditioner/amg/short_values.hpp"
#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/spmv/operator.hpp"

namespace stiefel::amg {

/// A level's matrix, and what kernels that go on with its rows read in place of its columns and values.
template <class S>
struct RowsOfLevel {
    const SpmvOperator<Cuda, S>& a;
    const SliceDiagonals<Cuda>& diagonals;  ///< of the slices of SELL, or empty
    const ShortValues<Cuda>& in_short;      ///< of SELL, or empty
};

}  // namespace stiefel::amg
