#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::ssor {

struct DeviceColouring {
    Index n_colours = 0;
    DeviceVector<Index> colour = {};  ///< of each row
};

/// greedy_colouring() of the host, the same colours: rows at once that wait for none, then those that wait for none but
/// these, and so on. Where that takes longer than a core of the host, as with rows of shells or on a path, or zeros are
/// stored on one side of the diagonal alone, that does it.            a pass over the pattern, a wait for each 64 turns
template <class T>
DeviceColouring greedy_colouring(Cuda& backend, const DeviceCsr<T>& a);

}  // namespace stiefel::ssor
