#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/spmv/csr.hpp"

#include <array>
#include <cstdint>

namespace stiefel::cuda {

// Sums up to and with each of many counts. Compiled once: a kernel of a header is found in the module of whichever file
// the linker took its launch from, and that may be one that is not loaded early.

/// Inclusive sums in place, by one block: for counts that are few beside the entries of a matrix.
void add_up(Cuda&, DeviceVector<Size>& counts);

/// offsets[0] = 0, offsets[i + 1] = counts[0] + ... + counts[i], by as many blocks as it takes.
/// Count: Index, unsigned, Size; Sum: std::int32_t, std::int64_t.
template <class Sum, class Count>
void offsets_from_counts(Cuda&, const DeviceVector<Count>& counts, DeviceVector<Sum>& offsets);

/// The same as offsets of rows: of 32 bits if as many as `most` entries, which there are no more of, fit. Without a
/// wait.
RowOffsets<DeviceMemory> row_offsets_from_counts(Cuda&, const DeviceVector<Index>& counts, Size most);

/// Of two lists at once, as long as one another. largest: two numbers on the device, raised to the largest count of
/// each.
std::array<RowOffsets<DeviceMemory>, 2> row_offsets_from_counts(Cuda&, std::array<const DeviceVector<Index>*, 2> counts,
                                                                Size most, Index* largest);

/// Offsets from counts in two steps: their total is known before their type is chosen.
/// Count: Index, unsigned char.
template <class Count>
class Offsets {
public:
    /// `counts` must outlive this object.
    Offsets(Cuda&, const DeviceVector<Count>& counts);

    /// On the device.
    const Size* total() const { return of_tile_.data() + of_tile_.size() - 1; }

    RowOffsets<DeviceMemory> row_offsets(Cuda& backend, Size total) const {
        if (RowOffsets<DeviceMemory>::fits_narrow(total)) return RowOffsets<DeviceMemory>(in<std::int32_t>(backend));
        return RowOffsets<DeviceMemory>(in<std::int64_t>(backend));
    }

    /// Sum: std::int32_t, std::int64_t.
    template <class Sum>
    DeviceVector<Sum> in(Cuda&) const;

private:
    const DeviceVector<Count>& counts_;
    DeviceVector<Size> of_tile_;
};

}  // namespace stiefel::cuda
