#pragma once

#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/spmv/cuda/equal_slices.cuh"
#include "stiefel/spmv/device_formats.hpp"

#include <utility>

namespace stiefel::amg {

/// Slices of SELL whose rows stand on the same diagonals.
template <class S>
struct AlignedSlices {
    Index n_rows;
    const Size* slice_ptr;
    const S* values;
    const Index* diagonals;

    __device__ Size group(Size slice) const { return slice_ptr[slice] / warp_size; }
    __device__ Index width(Size slice) const { return static_cast<Index>(group(slice + 1) - group(slice)); }
    __device__ const S* own_values(Size slice) const { return values + slice_ptr[slice] + threadIdx.x % warp_size; }

    __device__ bool may_be_shared(Size slice) const {
        const bool is_whole = (slice + 1) * warp_size <= n_rows;
        return is_whole && width(slice) > 0 && diagonals[group(slice)] != no_diagonal;
    }
    __device__ cuda::SliceKey key(Size slice) const {
        const Index n = width(slice);
        cuda::SliceKey key(n);
        for (Index j = 0; j < n; ++j) {
            key.add(cuda::bits_of(own_values(slice)[Size{j} * warp_size]), diagonals[group(slice) + j]);
        }
        return key;
    }
    __device__ bool is_equal(Size slice, Size other) const {
        const Index n = width(slice);
        bool same = n == width(other);
        for (Index j = 0; same && j < n; ++j) {
            same = diagonals[group(slice) + j] == diagonals[group(other) + j] &&
                   cuda::bits_of(own_values(slice)[Size{j} * warp_size]) ==
                       cuda::bits_of(own_values(other)[Size{j} * warp_size]);
        }
        return same;
    }
};

/// *places += those of slices that are like none before.
static __global__ void begin_of_slices_kernel(Index n_slices, const Size* slice_ptr, const Index* like_of, Size* begin,
                                              unsigned long long* places) {
    const Size slice = thread_number();
    unsigned long long own = 0;
    if (slice < n_slices) {
        const Index like = like_of[slice];
        begin[slice] = slice_ptr[like];
        if (like == slice) own = static_cast<unsigned long long>(slice_ptr[slice + 1] - slice_ptr[slice]);
    }
    for (int step = warp_size / 2; step > 0; step /= 2) own += __shfl_xor_sync(all_lanes, own, step);
    if (threadIdx.x % warp_size == 0 && own > 0) atomicAdd(places, own);
}

/// Finds the slices that hold the same. Waits for the device once.
template <class S>
SliceDiagonals<Cuda> share_slices(Cuda& backend, const DeviceSell<S>& a, DeviceVector<Index> diagonals) {
    constexpr double least_gain = 0.125;
    const auto n = static_cast<Index>(a.slice_ptr.size() - 1);
    const DeviceVector<Index> like_of = cuda::equal_slices(
        backend, n, AlignedSlices<S>{a.n_rows, a.slice_ptr.data(), a.values.data(), diagonals.data()});
    DeviceVector<Size> begin(backend, n);
    DeviceVector<unsigned long long> counted(backend, 1);
    backend.zero_bytes(counted.data(), counted.bytes());
    begin_of_slices_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(
        n, a.slice_ptr.data(), like_of.data(), begin.data(), counted.data());
    check_cuda(cudaGetLastError(), "sharing slices");
    const Size all = a.values.size(), places = static_cast<Size>(load(backend, counted));
    if (static_cast<double>(places) > (1 - least_gain) * static_cast<double>(all))
        return {std::move(diagonals), {}, all};
    return {std::move(diagonals), std::move(begin), places};
}

}  // namespace stiefel::amg
