#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// How many entries the rows of a matrix have: what decides which format and kernel suit it. All 0 without rows.
struct RowStatistics {
    Index shortest = 0;
    Index longest = 0;
    Index longest_row = -1;  ///< the first that is as long as `longest`, zero-based; -1 without rows
    Index n_empty = 0;
    Index median = 0;  ///< the lower one of an even number of rows
    double mean = 0;
    double deviation = 0;  ///< standard deviation, over all rows
};

/// In parallel, linear in the rows, the same on any number of threads. Memory: 4 n_rows bytes.
RowStatistics row_statistics(OpenMP&, const RowOffsets<HostMemory>& row_ptr);

template <class T>
RowStatistics row_statistics(OpenMP& backend, const HostCsr<T>& a) {
    return row_statistics(backend, a.row_ptr);
}

}  // namespace stiefel
