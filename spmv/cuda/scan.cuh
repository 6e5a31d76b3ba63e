#pragma once

#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel::cuda {

/// Inclusive sums in place, by one block of scan_threads: every thread sums a stretch, the stretches are scanned, and
/// added. For counts that are few beside the entries of a matrix.
inline constexpr int scan_threads = 1024;
static __global__ void scan_kernel(Size n, Size* v) {
    __shared__ Size stretch[scan_threads];
    constexpr Size per_thread = 8;
    Size before = 0;
    for (Size base = 0; base < n; base += scan_threads * per_thread) {
        const Size begin = base + threadIdx.x * per_thread;
        const Size end = min(begin + per_thread, n);
        Size sum = 0;
        for (Size i = begin; i < end; ++i) sum += v[i];
        stretch[threadIdx.x] = sum;
        __syncthreads();
        for (int step = 1; step < scan_threads; step *= 2) {
            const Size add = static_cast<int>(threadIdx.x) >= step ? stretch[threadIdx.x - step] : 0;
            __syncthreads();
            stretch[threadIdx.x] += add;
            __syncthreads();
        }
        Size running = before + stretch[threadIdx.x] - sum;
        for (Size i = begin; i < end; ++i) v[i] = running += v[i];
        before += stretch[scan_threads - 1];
        __syncthreads();
    }
}

/// Counts that one block of scan_threads adds up.
inline constexpr Size scan_tile = Size{scan_threads} * 8;

/// The sum of what the block's threads bring, up to and with each.
__device__ inline Size block_scan(Size value) {
    __shared__ Size of_warp[warp_size];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int step = 1; step < warp_size; step *= 2) {
        const Size before = __shfl_up_sync(all_lanes, value, step);
        if (lane >= step) value += before;
    }
    if (lane == warp_size - 1) of_warp[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; ++w) value += of_warp[w];
    __syncthreads();
    return value;
}

/// The thread's part of the block's tile.
struct ScanPart {
    Size begin, end;
    __device__ explicit ScanPart(Size n) {
        constexpr Size per_thread = scan_tile / scan_threads;
        begin = min(Size{blockIdx.x} * scan_tile + threadIdx.x * per_thread, n);
        end = min(begin + per_thread, n);
    }
    template <class Count>
    __device__ Size sum(const Count* v) const {
        Size sum = 0;
        for (Size i = begin; i < end; ++i) sum += v[i];
        return sum;
    }
};

template <class Count>
__global__ void tile_sums_kernel(Size n, const Count* v, Size* of_tile) {
    const Size sum = block_scan(ScanPart(n).sum(v));
    if (threadIdx.x == scan_threads - 1) of_tile[blockIdx.x] = sum;
}

/// sums[0] = 0, sums[i + 1] = v[0] + ... + v[i]; of_tile: sums of tiles, up to and with each.
template <class Count, class Sum>
__global__ void scan_tiles_kernel(Size n, const Count* v, const Size* of_tile, Sum* sums) {
    const ScanPart part(n);
    const Size own = part.sum(v);
    Size running = block_scan(own) - own + (blockIdx.x > 0 ? of_tile[blockIdx.x - 1] : 0);
    if (blockIdx.x == 0 && threadIdx.x == 0) sums[0] = 0;
    for (Size i = part.begin; i < part.end; ++i) sums[i + 1] = static_cast<Sum>(running += v[i]);
}

/// n + 1 offsets from n counts, by as many blocks as it takes.
template <class Sum, class Count>
void offsets_from_counts(Cuda& backend, const DeviceVector<Count>& counts, DeviceVector<Sum>& offsets) {
    const Size n = counts.size();
    DeviceVector<Size> of_tile(backend, std::max<Size>((n + scan_tile - 1) / scan_tile, 1));
    const auto tiles = static_cast<unsigned>(of_tile.size());
    tile_sums_kernel<<<tiles, scan_threads, 0, backend.stream()>>>(n, counts.data(), of_tile.data());
    scan_kernel<<<1, scan_threads, 0, backend.stream()>>>(of_tile.size(), of_tile.data());
    scan_tiles_kernel<<<tiles, scan_threads, 0, backend.stream()>>>(n, counts.data(), of_tile.data(), offsets.data());
    check_cuda(cudaGetLastError(), "launching scan");
}

}  // namespace stiefel::cuda
