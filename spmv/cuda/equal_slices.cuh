#pragma once

#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/scan.cuh"
#include "stiefel/spmv/cuda/slice_plan.cuh"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

// Which slices of CompressedSell hold the same, as EqualSlices of a host finds them: by a key of what they hold, in a
// hash table with linear probing, and then by looking. Whatever the order in which slices come, one that holds what
// another does is like the first of these.

namespace stiefel::cuda {

/// Of each key the least slice that has it, counted from the end: 0 where there is none.
struct SliceTable {
    unsigned long long* key;
    unsigned* from_end;
    Size mask;
};

__device__ inline bool may_be_shared(const CompressedSlice& slice) {
    return slice.columns == SliceColumns::diagonals && slice.n_groups > 0;
}

template <class T>
__device__ auto bits_of(T value) {
    if constexpr (std::is_same_v<T, double>) {
        return static_cast<unsigned long long>(__double_as_longlong(value));
    } else {
        return static_cast<unsigned long long>(__float_as_uint(value));
    }
}

/// Different for most slices that hold something else, never 0. Whole warps.
template <class T, class Offset>
__device__ unsigned long long slice_key(const SlotRows<Offset>& a, const WarpSlice& rows, const T* values, Size row) {
    constexpr unsigned long long odd = 0x9e3779b97f4a7c15, other_odd = 0xc2b2ae3d27d4eb4f;
    const unsigned long long own = odd * (2 * (threadIdx.x % warp_size) + 1);
    unsigned long long factor = own, sum = static_cast<unsigned long long>(rows.length());
    for (Index j = 0; j < rows.length(); ++j, factor += 2 * odd) {
        const Size k = rows.entry(j);
        const auto diagonal = static_cast<unsigned long long>(Size{a.col_idx[k]} - row);
        const unsigned long long mixed = (bits_of(values[k]) ^ diagonal * other_odd) * factor;
        sum += mixed ^ mixed >> 32;
    }
    sum *= own;
    for (int step = warp_size / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
    return (sum ^ sum >> 29) | 1;
}

/// A warp for a slice: puts it into the table, and leaves its place there; -1 where it may not be shared.
template <class T, class Offset>
__global__ void enter_slices_kernel(SlotRows<Offset> a, const T* values, Index n_slices, const CompressedSlice* slices,
                                    SliceTable table, Index* place_of) {
    const Size slice = thread_number() / warp_size;
    if (slice >= n_slices) return;
    const Size lane = threadIdx.x % warp_size;
    if (!may_be_shared(slices[slice])) {
        if (lane == 0) place_of[slice] = -1;
        return;
    }
    const WarpSlice rows(a, slice);
    const unsigned long long key = slice_key(a, rows, values, slice * warp_size + lane);
    if (lane != 0) return;
    Size place = static_cast<Size>(key >> 1) & table.mask;
    for (;; place = (place + 1) & table.mask) {
        // Most find what they look for: no need to write to it again.
        unsigned long long found = *static_cast<volatile unsigned long long*>(table.key + place);
        if (found == 0) found = atomicCAS(table.key + place, 0ULL, key);
        if (found == 0 || found == key) break;
    }
    const auto from_end = static_cast<unsigned>(n_slices - slice);
    if (*static_cast<volatile unsigned*>(table.from_end + place) < from_end)
        atomicMax(table.from_end + place, from_end);
    place_of[slice] = static_cast<Index>(place);
}

/// Of each slice the first that holds the same, or itself; and the groups of those that are like themselves.
template <class T, class Offset>
__global__ void compare_slices_kernel(SlotRows<Offset> a, const T* values, Index n_slices,
                                      const CompressedSlice* slices, SliceTable table, const Index* place_of,
                                      Index* like_of, Size* groups) {
    const Size slice = thread_number() / warp_size;
    if (slice >= n_slices) return;
    const Index place = place_of[slice];
    Size like = place < 0 ? slice : n_slices - Size{table.from_end[place]};
    const Size lane = threadIdx.x % warp_size;
    if (like != slice) {
        const WarpSlice rows(a, slice), others(a, like);
        const Size shift = (slice - like) * warp_size;
        bool same = rows.length() == others.length();
        for (Index j = 0; same && j < rows.length(); ++j) {
            const Size k = rows.entry(j), l = others.entry(j);
            same = Size{a.col_idx[k]} == a.col_idx[l] + shift && bits_of(values[k]) == bits_of(values[l]);
        }
        if (!__all_sync(all_lanes, same)) like = slice;
    }
    if (lane != 0) return;
    like_of[slice] = static_cast<Index>(like);
    groups[slice] = like == slice ? slices[slice].n_groups : 0;
}

static __global__ void share_groups_kernel(Index n_slices, const Size* group, const Index* like_of,
                                           CompressedSlice* slices) {
    const Size slice = thread_number();
    if (slice <= n_slices) slices[slice].group = group[slice < n_slices ? like_of[slice] : n_slices];
}

/// Lets slices that hold the same have their groups once. Returns like_of, and the groups that are left.
template <class T, class Offset>
std::pair<DeviceVector<Index>, Size> share_equal_slices(Cuda& backend, const SlotRows<Offset>& rows, const T* values,
                                                        DeviceVector<CompressedSlice>& slices) {
    const auto n = static_cast<Index>(slices.size() - 1);
    const auto places = static_cast<Size>(std::bit_ceil(static_cast<std::uint64_t>(2 * std::max(n, 1))));
    DeviceVector<unsigned long long> key(backend, places);
    DeviceVector<unsigned> from_end(backend, places);
    backend.zero_bytes(key.data(), key.bytes());
    backend.zero_bytes(from_end.data(), from_end.bytes());
    DeviceVector<Index> place_of(backend, n), like_of(backend, n);
    DeviceVector<Size> groups(backend, n), group(backend, Size{n} + 1);
    const SliceTable table{key.data(), from_end.data(), places - 1};
    const unsigned blocks = element_blocks(Size{n} * warp_size);
    enter_slices_kernel<<<blocks, element_threads, 0, backend.stream()>>>(rows, values, n, slices.data(), table,
                                                                          place_of.data());
    check_cuda(cudaGetLastError(), "launching enter_slices");
    compare_slices_kernel<<<blocks, element_threads, 0, backend.stream()>>>(
        rows, values, n, slices.data(), table, place_of.data(), like_of.data(), groups.data());
    check_cuda(cudaGetLastError(), "launching compare_slices");
    offsets_from_counts(backend, groups, group);
    share_groups_kernel<<<element_blocks(Size{n} + 1), element_threads, 0, backend.stream()>>>(
        n, group.data(), like_of.data(), slices.data());
    check_cuda(cudaGetLastError(), "launching share_groups");
    Size left = 0;
    backend.download_bytes(&left, group.data() + n, sizeof left);
    return {std::move(like_of), left};
}

}  // namespace stiefel::cuda
