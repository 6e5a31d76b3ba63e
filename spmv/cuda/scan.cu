#include "stiefel/spmv/cuda/scan.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/block_scan.cuh"
#include "stiefel/spmv/cuda/longest_row.cuh"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace stiefel::cuda {

namespace {

constexpr int scan_threads = 1024;

/// Every thread of the one block of a list sums a stretch, the stretches are scanned, and added.
__global__ void scan_kernel(Size n, Size* v) {
    v += blockIdx.y * n;
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

/// As many lists of counts as the grid is high, each of n.
template <class Count, class Sum>
struct CountLists {
    static constexpr int most = 2;
    std::array<const Count*, most> counts;
    std::array<Sum*, most> sums;
    std::array<Index*, most> largest;  ///< or none

    // By comparison: an index known in the kernel alone would put the lists into local memory.
    template <class P>
    __device__ static P of_block(const std::array<P, most>& lists) {
        return blockIdx.y == 0 ? lists[0] : lists[1];
    }
};

/// of_tile: those of one list behind those of the other.
template <class Count, class Sum>
__global__ void tile_sums_kernel(Size n, CountLists<Count, Sum> lists, Size* of_tile) {
    const Size sum = block_scan(ScanPart(n).sum(lists.of_block(lists.counts)));
    if (threadIdx.x == scan_threads - 1) of_tile[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/// sums[0] = 0, sums[i + 1] = v[0] + ... + v[i]; of_tile: sums of tiles, up to and with each, where there are several.
template <class Count, class Sum>
__global__ void scan_tiles_kernel(Size n, CountLists<Count, Sum> lists, const Size* of_tile) {
    const Count* const v = lists.of_block(lists.counts);
    Sum* const sums = lists.of_block(lists.sums);
    const ScanPart part(n);
    const Size own = part.sum(v);
    Size running = block_scan(own) - own + (blockIdx.x > 0 ? of_tile[blockIdx.y * gridDim.x + blockIdx.x - 1] : 0);
    if (blockIdx.x == 0 && threadIdx.x == 0) sums[0] = 0;
    Count largest = 0;
    for (Size i = part.begin; i < part.end; ++i) {
        sums[i + 1] = static_cast<Sum>(running += v[i]);
        if (v[i] > largest) largest = v[i];
    }
    if (Index* const to = lists.of_block(lists.largest)) raise_to(static_cast<Index>(largest), to);
}

Size tiles_of(Size n) {
    return std::max<Size>((n + scan_tile - 1) / scan_tile, 1);
}

template <class Count, class Sum>
DeviceVector<Size> sums_of_tiles(Cuda& backend, Size n, const CountLists<Count, Sum>& lists, unsigned n_lists) {
    const auto tiles = static_cast<unsigned>(tiles_of(n));
    DeviceVector<Size> of_tile(backend, Size{tiles} * n_lists);
    tile_sums_kernel<<<dim3(tiles, n_lists), scan_threads, 0, backend.stream()>>>(n, lists, of_tile.data());
    if (tiles > 1) scan_kernel<<<dim3(1, n_lists), scan_threads, 0, backend.stream()>>>(tiles, of_tile.data());
    return of_tile;
}

template <class Count, class Sum>
void add_up_tiles(Cuda& backend, Size n, const CountLists<Count, Sum>& lists, unsigned n_lists,
                  const DeviceVector<Size>& of_tile) {
    scan_tiles_kernel<<<dim3(static_cast<unsigned>(tiles_of(n)), n_lists), scan_threads, 0, backend.stream()>>>(
        n, lists, of_tile.data());
    check_cuda(cudaGetLastError(), "adding up counts");
}

template <class Count, class Sum>
void offsets_of_lists(Cuda& backend, Size n, const CountLists<Count, Sum>& lists, unsigned n_lists) {
    const bool has_tiles = n > scan_tile;
    add_up_tiles(backend, n, lists, n_lists,
                 has_tiles ? sums_of_tiles(backend, n, lists, n_lists) : DeviceVector<Size>());
}

}  // namespace

void add_up(Cuda& backend, DeviceVector<Size>& counts) {
    scan_kernel<<<1, scan_threads, 0, backend.stream()>>>(counts.size(), counts.data());
    check_cuda(cudaGetLastError(), "adding up counts");
}

template <class Sum, class Count>
void offsets_from_counts(Cuda& backend, const DeviceVector<Count>& counts, DeviceVector<Sum>& offsets) {
    offsets_of_lists<Count, Sum>(backend, counts.size(), {{counts.data()}, {offsets.data()}, {}}, 1);
}

RowOffsets<DeviceMemory> row_offsets_from_counts(Cuda& backend, const DeviceVector<Index>& counts, Size most) {
    const auto in = [&]<class Offset>(Offset) {
        DeviceVector<Offset> offsets(backend, counts.size() + 1);
        offsets_from_counts(backend, counts, offsets);
        return RowOffsets<DeviceMemory>(std::move(offsets));
    };
    return RowOffsets<DeviceMemory>::fits_narrow(most) ? in(std::int32_t{}) : in(std::int64_t{});
}

std::array<RowOffsets<DeviceMemory>, 2> row_offsets_from_counts(Cuda& backend,
                                                                std::array<const DeviceVector<Index>*, 2> counts,
                                                                Size most, Index* largest) {
    require(counts[0]->size() == counts[1]->size(),
            "row_offsets_from_counts: as many counts in one list as in the other");
    const auto in = [&]<class Offset>(Offset) {
        const Size n = counts[0]->size();
        DeviceVector<Offset> first(backend, n + 1), second(backend, n + 1);
        offsets_of_lists<Index, Offset>(
            backend, n, {{counts[0]->data(), counts[1]->data()}, {first.data(), second.data()}, {largest, largest + 1}},
            2);
        return std::array{RowOffsets<DeviceMemory>(std::move(first)), RowOffsets<DeviceMemory>(std::move(second))};
    };
    return RowOffsets<DeviceMemory>::fits_narrow(most) ? in(std::int32_t{}) : in(std::int64_t{});
}

template void offsets_from_counts(Cuda&, const DeviceVector<Index>&, DeviceVector<std::int64_t>&);
template void offsets_from_counts(Cuda&, const DeviceVector<unsigned>&, DeviceVector<std::int32_t>&);
template void offsets_from_counts(Cuda&, const DeviceVector<unsigned>&, DeviceVector<std::int64_t>&);
template void offsets_from_counts(Cuda&, const DeviceVector<Size>&, DeviceVector<std::int64_t>&);

template <class Count>
Offsets<Count>::Offsets(Cuda& backend, const DeviceVector<Count>& counts)
    : counts_(counts), of_tile_(sums_of_tiles<Count, Size>(backend, counts.size(), {{counts.data()}, {}, {}}, 1)) {}

template <class Count>
template <class Sum>
DeviceVector<Sum> Offsets<Count>::in(Cuda& backend) const {
    DeviceVector<Sum> sums(backend, counts_.size() + 1);
    add_up_tiles<Count, Sum>(backend, counts_.size(), {{counts_.data()}, {sums.data()}, {}}, 1, of_tile_);
    return sums;
}

template class Offsets<Index>;
template class Offsets<unsigned char>;
template DeviceVector<std::int32_t> Offsets<Index>::in(Cuda&) const;
template DeviceVector<std::int64_t> Offsets<Index>::in(Cuda&) const;
template DeviceVector<std::int32_t> Offsets<unsigned char>::in(Cuda&) const;
template DeviceVector<std::int64_t> Offsets<unsigned char>::in(Cuda&) const;

}  // namespace stiefel::cuda
