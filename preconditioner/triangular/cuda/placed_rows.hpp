#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::triangular {

/// How the rows of a matrix come to lie in arrays in which others may stand between them. All but `factor` of a device.
template <class T>
struct RowPlaces {
    const DeviceVector<Index>& row;     ///< that comes to each place
    DeviceVector<Size>& to;             ///< where its first entry goes; then behind its last
    const DeviceVector<Index>& number;  ///< of each column there
    const DeviceVector<T>* scale;       ///< of each column; null: 1
    T factor;                           ///< of all entries
};

/// lengths[i] += entries of row i of A.
template <class T>
void add_row_lengths(Cuda& backend, const DeviceCsr<T>& a, DeviceVector<Index>& lengths);

/// Where rows of such lengths begin that come one behind another in this order, and one more.
DeviceVector<Size> starts_in_order(Cuda& backend, const DeviceVector<Index>& lengths, const DeviceVector<Index>& row);

/// cols[to[k] + e] and values[to[k] + e] are entry e of row[k] of A, for every place k.
template <class T>
void place_rows(Cuda& backend, const DeviceCsr<T>& a, const RowPlaces<T>& places, DeviceVector<Index>& cols,
                DeviceVector<T>& values);

}  // namespace stiefel::triangular
