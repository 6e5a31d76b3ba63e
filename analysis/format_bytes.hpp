#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// Bytes that a matrix takes in each format, padding included: what bytes() of the converted matrix would say.
struct FormatBytes {
    Size csr = 0;
    Size ellpack = 0;  ///< row-major
    Size sell = 0;
};

/// Computed from the row lengths, in parallel, without converting. Lengths are sorted within windows of sigma rows.
/// Throws InvalidArgument if slice_height or sigma is not positive.
template <class T>
FormatBytes bytes_in_formats(OpenMP&, const HostCsr<T>& a, Index slice_height, Index sigma);

}  // namespace stiefel
