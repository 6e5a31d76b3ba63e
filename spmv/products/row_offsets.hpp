#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <utility>

namespace stiefel {

/// Offsets that were counted in 64 bits, in 32 where they fit.
inline RowOffsets<HostMemory> row_offsets(OpenMP& backend, HostVector<Size> wide) {
    const Size n = wide.size();
    if (!RowOffsets<HostMemory>::fits_narrow(wide[n - 1])) return RowOffsets<HostMemory>(std::move(wide));
    HostVector<std::int32_t> narrow(n);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n > 100000)
    for (Size i = 0; i < n; ++i) narrow[i] = static_cast<std::int32_t>(wide[i]);
    return RowOffsets<HostMemory>(std::move(narrow));
}

}  // namespace stiefel
