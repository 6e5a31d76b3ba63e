#pragma once

#include "stiefel/solver/cuda/streamed.hpp"

#include <algorithm>

namespace stiefel::test {

/// Of a loop that streams A, with room for `stay` elements of vectors a row, of three. As of a device of so few
/// multiprocessors that blocks have several runs of slices where there are thousands of rows.
template <class T>
cuda::StreamedShape shape_with_room(const Cuda& backend, const DeviceCompressedSell<T>& a, double stay,
                                    bool has_others = false) {
    constexpr Size kernels_own_bytes = 4096;
    CudaDevice device = backend.device();
    device.multiprocessors = std::min(device.multiprocessors, 3);
    const Size slices = cuda::streamed_shape(device, a, has_others).room.slices_of_block;
    const Size of_numbers = has_others ? (slices + 4) * static_cast<Size>(sizeof(Index)) : 0;
    const auto of_vectors = static_cast<Size>(stay * static_cast<double>(slices * 32) * sizeof(T));
    device.shared_bytes_per_block =
        std::min(device.shared_bytes_per_block, kernels_own_bytes + of_numbers + of_vectors);
    return cuda::streamed_shape(device, a, has_others);
}

}  // namespace stiefel::test
