#pragma once

#include "stiefel/analysis/tally.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// The stored values as such.
struct ValueInfo {
    EntryTally non_finite;  ///< NaN or infinite
    EntryTally zero;        ///< stored all the same
    double max_abs = 0;     ///< largest |a_ij| of the finite ones; 0 if there is none
    double min_abs = 0;     ///< smallest |a_ij| of those neither zero nor non-finite; 0 if there is none
};

/// One pass over the values, in parallel.
template <class T>
ValueInfo analyse_values(OpenMP&, const HostCsr<T>& a);

}  // namespace stiefel
