#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::triangular {

/// How the rows of a matrix come to lie in arrays in which others may stand between them. All but `factor` of a device.
template <class T>
struct RowPlaces {
    const DeviceVector<Index>& row;     ///< that comes to each place
    const DeviceVector<Size>& to;       ///< where its first entry goes
    const DeviceVector<Index>& number;  ///< of each column there
    const DeviceVector<T>* scale;       ///< of each column; null: 1
    T factor;                           ///< of all entries
};

/// cols[to[k] + e] and values[to[k] + e] are entry e of row[k] of A, for every place k.
template <class T>
void place_rows(Cuda& backend, const DeviceCsr<T>& a, const RowPlaces<T>& places, DeviceVector<Index>& cols,
                DeviceVector<T>& values);

}  // namespace stiefel::triangular
