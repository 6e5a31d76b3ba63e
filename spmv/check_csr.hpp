#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <optional>

namespace stiefel {

/// Throws InvalidArgument, which names the first row that is at fault, unless the matrix is what Csr promises: offsets
/// that begin with 0, ascend and end with the number of entries; columns that ascend within a row and lie in the
/// matrix. One pass over offsets and columns; on CUDA it waits for the stream.
template <class T>
void check_csr(OpenMP&, const HostCsr<T>& a);
template <class T>
void check_csr(Cuda&, const DeviceCsr<T>& a);
template <class T>
void check_csr(Serial&, const HostCsr<T>& a) {
    OpenMP one(1);
    check_csr(one, a);
}

/// Makes what the kernels of a device keep beside a matrix whose arrays are there. Waits for the stream, unless the
/// length of the longest row is known.
template <class T>
void prepare_csr(Cuda&, DeviceCsr<T>& a, std::optional<Index> longest_row = std::nullopt);

}  // namespace stiefel
