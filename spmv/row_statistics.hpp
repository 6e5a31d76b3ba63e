#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <span>

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

/// In parallel, linear in the rows; the same on every backend, on any number of threads. Memory: a counter for every
/// length up to the longest and every thread, but no more counters than rows.
RowStatistics row_statistics(OpenMP&, const RowOffsets<HostMemory>& row_ptr);
template <class T>
RowStatistics row_statistics(Cuda&, const DeviceCsr<T>& a);

/// From how many rows have each length, from 0 to the longest, and the first that is as long as that.
RowStatistics row_statistics(std::span<const Size> rows_of_length, Index longest_row);

template <class T>
RowStatistics row_statistics(OpenMP& backend, const HostCsr<T>& a) {
    return row_statistics(backend, a.row_ptr);
}

}  // namespace stiefel
