#include "stiefel/spmv/cuda/scan.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/block_scan.cuh"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stiefel::cuda {

namespace {

constexpr int scan_threads = 1024;

/// Every thread of the one block sums a stretch, the stretches are scanned, and added.
__global__ void scan_kernel(Size n, Size* v) {
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

/// Counts that one block adds up.
constexpr Size scan_tile = Size{scan_threads} * 8;

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

/// sums[0] = 0, sums[i + 1] = v[0] + ... + v[i]; of_tile: sums of tiles, up to and with each, where there are several.
template <class Count, class Sum>
__global__ void scan_tiles_kernel(Size n, const Count* v, const Size* of_tile, Sum* sums) {
    const ScanPart part(n);
    const Size own = part.sum(v);
    Size running = block_scan(own) - own + (blockIdx.x > 0 ? of_tile[blockIdx.x - 1] : 0);
    if (blockIdx.x == 0 && threadIdx.x == 0) sums[0] = 0;
    for (Size i = part.begin; i < part.end; ++i) sums[i + 1] = static_cast<Sum>(running += v[i]);
}

template <class Count>
DeviceVector<Size> sums_of_tiles(Cuda& backend, const DeviceVector<Count>& counts) {
    DeviceVector<Size> of_tile(backend, std::max<Size>((counts.size() + scan_tile - 1) / scan_tile, 1));
    tile_sums_kernel<<<static_cast<unsigned>(of_tile.size()), scan_threads, 0, backend.stream()>>>(
        counts.size(), counts.data(), of_tile.data());
    if (of_tile.size() > 1) add_up(backend, of_tile);
    return of_tile;
}

template <class Count, class Sum>
void add_up_tiles(Cuda& backend, const DeviceVector<Count>& counts, const DeviceVector<Size>& of_tile,
                  DeviceVector<Sum>& sums) {
    const auto tiles = static_cast<unsigned>(std::max<Size>(of_tile.size(), 1));
    scan_tiles_kernel<<<tiles, scan_threads, 0, backend.stream()>>>(counts.size(), counts.data(), of_tile.data(),
                                                                    sums.data());
    check_cuda(cudaGetLastError(), "adding up counts");
}

}  // namespace

void add_up(Cuda& backend, DeviceVector<Size>& counts) {
    scan_kernel<<<1, scan_threads, 0, backend.stream()>>>(counts.size(), counts.data());
    check_cuda(cudaGetLastError(), "adding up counts");
}

template <class Sum, class Count>
void offsets_from_counts(Cuda& backend, const DeviceVector<Count>& counts, DeviceVector<Sum>& offsets) {
    const bool has_tiles = counts.size() > scan_tile;
    add_up_tiles(backend, counts, has_tiles ? sums_of_tiles(backend, counts) : DeviceVector<Size>(), offsets);
}

template <class Count>
RowOffsets<DeviceMemory> row_offsets_from_counts(Cuda& backend, const DeviceVector<Count>& counts, Size most) {
    const auto in = [&]<class Offset>(Offset) {
        DeviceVector<Offset> offsets(backend, counts.size() + 1);
        offsets_from_counts(backend, counts, offsets);
        return RowOffsets<DeviceMemory>(std::move(offsets));
    };
    return RowOffsets<DeviceMemory>::fits_narrow(most) ? in(std::int32_t{}) : in(std::int64_t{});
}

template RowOffsets<DeviceMemory> row_offsets_from_counts(Cuda&, const DeviceVector<Index>&, Size);
template RowOffsets<DeviceMemory> row_offsets_from_counts(Cuda&, const DeviceVector<unsigned>&, Size);
template void offsets_from_counts(Cuda&, const DeviceVector<Index>&, DeviceVector<std::int64_t>&);
template void offsets_from_counts(Cuda&, const DeviceVector<unsigned>&, DeviceVector<std::int32_t>&);
template void offsets_from_counts(Cuda&, const DeviceVector<unsigned>&, DeviceVector<std::int64_t>&);
template void offsets_from_counts(Cuda&, const DeviceVector<Size>&, DeviceVector<std::int64_t>&);

template <class Count>
Offsets<Count>::Offsets(Cuda& backend, const DeviceVector<Count>& counts)
    : counts_(counts), of_tile_(sums_of_tiles(backend, counts)) {}

template <class Count>
template <class Sum>
DeviceVector<Sum> Offsets<Count>::in(Cuda& backend) const {
    DeviceVector<Sum> sums(backend, counts_.size() + 1);
    add_up_tiles(backend, counts_, of_tile_, sums);
    return sums;
}

template class Offsets<Index>;
template class Offsets<unsigned char>;
template DeviceVector<std::int32_t> Offsets<Index>::in(Cuda&) const;
template DeviceVector<std::int64_t> Offsets<Index>::in(Cuda&) const;
template DeviceVector<std::int32_t> Offsets<unsigned char>::in(Cuda&) const;
template DeviceVector<std::int64_t> Offsets<unsigned char>::in(Cuda&) const;

}  // namespace stiefel::cuda
