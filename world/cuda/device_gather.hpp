#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"

#include <span>

namespace stiefel {

/// What all ranks have on their devices, one after the other, on each of them; bytes: of each rank. GPUs read each
/// other's memory, by way of CudaWorld::staging(); where some do not reach each other, hosts carry it. All ranks call
/// it at once; waits for the device.
void gather_bytes(Cuda&, CudaWorld&, const void* here, std::span<const Size> bytes, void* all);

/// Bytes that each rank has, told to all.
std::vector<Size> bytes_of_all(CudaWorld&, Size here);

template <class T>
DeviceVector<T> gathered(Cuda& backend, CudaWorld& world, const DeviceVector<T>& here) {
    const std::vector<Size> bytes = bytes_of_all(world, here.bytes());
    Size sum = 0;
    for (const Size of_rank : bytes) sum += of_rank;
    DeviceVector<T> all(backend, sum / static_cast<Size>(sizeof(T)));
    gather_bytes(backend, world, here.data(), bytes, all.data());
    return all;
}

}  // namespace stiefel
