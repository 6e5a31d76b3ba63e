#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

/// A copy in host memory of what no work that is enqueued writes: by any thread, and beside what the backend's stream
/// runs, on a stream of its own. Waits for the copy alone.
template <class T>
HostCsr<T> to_host_beside(const Cuda& backend, const DeviceCsr<T>& a);

}  // namespace stiefel
