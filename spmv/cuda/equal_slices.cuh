#pragma once

#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/cuda/slice_plan.cuh"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

// Which slices of a matrix hold the same, as EqualSlices of a host finds them: by a key of what they hold, in a hash
// table with linear probing, and then by looking. Whatever the order in which slices come, one that holds what another
// does is like the first of these.
//
// Slices are objects with
//     bool may_be_shared(Size slice)
//     SliceKey key(Size slice)                    of what it holds
//     bool is_equal(Size slice, Size other)       whether both hold the same
// on the device; the last two are asked by whole warps, for the part of the lane.

namespace stiefel::cuda {

/// Of each key the least slice that has it, counted from the end: 0 where there is none.
struct SliceTable {
    unsigned long long* key;
    unsigned* from_end;
    Size mask;
};

template <class T>
__device__ auto bits_of(T value) {
    if constexpr (std::is_same_v<T, double>) {
        return static_cast<unsigned long long>(__double_as_longlong(value));
    } else {
        return static_cast<unsigned long long>(__float_as_uint(value));
    }
}

/// Adds up what a slice holds to a key.
class SliceKey {
public:
    __device__ explicit SliceKey(Index length)
        : own_(odd * (2 * (threadIdx.x % warp_size) + 1)), factor_(own_), sum_(static_cast<unsigned>(length)) {}

    __device__ void add(unsigned long long value_bits, Size diagonal) {
        const unsigned long long mixed = (value_bits ^ static_cast<unsigned long long>(diagonal) * other_odd) * factor_;
        sum_ += mixed ^ mixed >> 32;
        factor_ += 2 * odd;
    }
    /// Of the lane, to be added to those of the others.
    __device__ unsigned long long part() const { return sum_ * own_; }

private:
    static constexpr unsigned long long odd = 0x9e3779b97f4a7c15, other_odd = 0xc2b2ae3d27d4eb4f;
    unsigned long long own_, factor_, sum_;
};

/// Puts the slice into the table, and returns its place there.
__device__ inline Index enter_slice(const SliceTable& table, unsigned long long key, unsigned from_end) {
    Size place = static_cast<Size>(key >> 1) & table.mask;
    for (;; place = (place + 1) & table.mask) {
        // Most find what they look for: no need to write to it again.
        unsigned long long found = *static_cast<volatile unsigned long long*>(table.key + place);
        if (found == 0) found = atomicCAS(table.key + place, 0ULL, key);
        if (found == 0 || found == key) break;
    }
    if (*static_cast<volatile unsigned*>(table.from_end + place) < from_end)
        atomicMax(table.from_end + place, from_end);
    return static_cast<Index>(place);
}

/// A warp for a slice: leaves its place in the table; -1 where it may not be shared. Of a block's slices of one key the
/// first goes to the table for all, where they would stand in line otherwise.
template <class Slices>
__global__ void __launch_bounds__(element_threads)
    enter_slices_kernel(Slices slices, Index n_slices, SliceTable table, Index* place_of) {
    constexpr int warps = element_threads / warp_size;
    __shared__ unsigned long long keys[warps];
    __shared__ Index places[warps];
    const Size slice = thread_number() / warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    unsigned long long key = 0;
    if (slice < n_slices && slices.may_be_shared(slice)) {
        unsigned long long sum = slices.key(slice).part();
        for (int step = warp_size / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
        key = (sum ^ sum >> 29) | 1;  // 0 is for none
    }
    const bool speaks = threadIdx.x % warp_size == 0;
    if (speaks) keys[warp] = key;
    __syncthreads();
    int first = 0;
    while (keys[first] != key) ++first;
    if (speaks && first == warp)
        places[warp] = key != 0 ? enter_slice(table, key, static_cast<unsigned>(n_slices - slice)) : -1;
    __syncthreads();
    if (speaks && slice < n_slices) place_of[slice] = places[first];
}

/// Of each slice the first that holds the same, or itself.
template <class Slices>
__global__ void compare_slices_kernel(Slices slices, Index n_slices, SliceTable table, const Index* place_of,
                                      Index* like_of) {
    const Size slice = thread_number() / warp_size;
    if (slice >= n_slices) return;
    const Index place = place_of[slice];
    Size like = place < 0 ? slice : n_slices - Size{table.from_end[place]};
    if (like != slice && !__all_sync(all_lanes, slices.is_equal(slice, like))) like = slice;
    if (threadIdx.x % warp_size == 0) like_of[slice] = static_cast<Index>(like);
}

/// Of each of n slices the first that holds the same, or itself.
template <class Slices>
DeviceVector<Index> equal_slices(Cuda& backend, Index n, const Slices& slices) {
    const auto places = static_cast<Size>(std::bit_ceil(static_cast<std::uint64_t>(2 * std::max(n, 1))));
    DeviceVector<unsigned long long> key(backend, places);
    DeviceVector<unsigned> from_end(backend, places);
    backend.zero_bytes(key.data(), key.bytes());
    backend.zero_bytes(from_end.data(), from_end.bytes());
    DeviceVector<Index> place_of(backend, n), like_of(backend, n);
    const SliceTable table{key.data(), from_end.data(), places - 1};
    const unsigned blocks = element_blocks(Size{n} * warp_size);
    enter_slices_kernel<<<blocks, element_threads, 0, backend.stream()>>>(slices, n, table, place_of.data());
    check_cuda(cudaGetLastError(), "launching enter_slices");
    compare_slices_kernel<<<blocks, element_threads, 0, backend.stream()>>>(slices, n, table, place_of.data(),
                                                                            like_of.data());
    check_cuda(cudaGetLastError(), "launching compare_slices");
    return like_of;
}

/// Slices of CompressedSell that are planned, of the rows that they are made of.
template <class T, class Offset>
struct PlannedEqualSlices {
    SlotRows<Offset> rows;
    const T* values;
    const CompressedSlice* slices;

    __device__ bool may_be_shared(Size slice) const {
        return slices[slice].columns == SliceColumns::diagonals && slices[slice].n_groups > 0;
    }
    __device__ SliceKey key(Size slice) const {
        const WarpSlice own(rows, slice);
        const Size row = slice * warp_size + threadIdx.x % warp_size;
        SliceKey key(own.length());
        for (Index j = 0; j < own.length(); ++j) {
            const Size k = own.entry(j);
            key.add(bits_of(values[k]), Size{rows.col_idx[k]} - row);
        }
        return key;
    }
    __device__ bool is_equal(Size slice, Size other) const {
        const WarpSlice own(rows, slice), others(rows, other);
        const Size shift = (slice - other) * warp_size;
        bool same = own.length() == others.length();
        for (Index j = 0; same && j < own.length(); ++j) {
            const Size k = own.entry(j), l = others.entry(j);
            same = Size{rows.col_idx[k]} == rows.col_idx[l] + shift && bits_of(values[k]) == bits_of(values[l]);
        }
        return same;
    }
};

static __global__ void own_groups_kernel(Index n_slices, const CompressedSlice* slices, const Index* like_of,
                                         Size* groups) {
    const Size slice = thread_number();
    if (slice < n_slices) groups[slice] = like_of[slice] == slice ? slices[slice].n_groups : 0;
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
    DeviceVector<Index> like_of = equal_slices(backend, n, PlannedEqualSlices<T, Offset>{rows, values, slices.data()});
    DeviceVector<Size> groups(backend, n), group(backend, Size{n} + 1);
    own_groups_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(n, slices.data(), like_of.data(),
                                                                                   groups.data());
    check_cuda(cudaGetLastError(), "launching own_groups");
    offsets_from_counts(backend, groups, group);
    share_groups_kernel<<<element_blocks(Size{n} + 1), element_threads, 0, backend.stream()>>>(
        n, group.data(), like_of.data(), slices.data());
    check_cuda(cudaGetLastError(), "launching share_groups");
    const Size left = load(backend, group.data() + n);
    return {std::move(like_of), left};
}

}  // namespace stiefel::cuda
