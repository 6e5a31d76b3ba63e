#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/cuda/scan.cuh"

#include <algorithm>
#include <utility>

namespace stiefel::cuda {

/// Offsets from counts in two steps: their total is known before their type is chosen.
template <class Count>
class Offsets {
public:
    /// `counts` must outlive this object.
    Offsets(Cuda& backend, const DeviceVector<Count>& counts)
        : counts_(counts), of_tile_(backend, std::max<Size>((counts.size() + scan_tile - 1) / scan_tile, 1)) {
        tile_sums_kernel<<<tiles(), scan_threads, 0, backend.stream()>>>(counts.size(), counts.data(), of_tile_.data());
        scan_kernel<<<1, scan_threads, 0, backend.stream()>>>(of_tile_.size(), of_tile_.data());
        check_cuda(cudaGetLastError(), "adding up counts");
    }

    /// On the device.
    const Size* total() const { return of_tile_.data() + of_tile_.size() - 1; }

    RowOffsets<DeviceMemory> row_offsets(Cuda& backend, Size total) const {
        if (RowOffsets<DeviceMemory>::fits_narrow(total)) return RowOffsets<DeviceMemory>(in<std::int32_t>(backend));
        return RowOffsets<DeviceMemory>(in<std::int64_t>(backend));
    }

    template <class Offset>
    DeviceVector<Offset> in(Cuda& backend) const {
        DeviceVector<Offset> sums(backend, counts_.size() + 1);
        scan_tiles_kernel<<<tiles(), scan_threads, 0, backend.stream()>>>(counts_.size(), counts_.data(),
                                                                          of_tile_.data(), sums.data());
        check_cuda(cudaGetLastError(), "adding up counts");
        return sums;
    }

private:
    unsigned tiles() const { return static_cast<unsigned>(of_tile_.size()); }

    const DeviceVector<Count>& counts_;
    DeviceVector<Size> of_tile_;
};

}  // namespace stiefel::cuda
