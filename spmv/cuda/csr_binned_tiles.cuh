#pragma once

#include "stiefel/spmv/cuda/csr_binned.cuh"

namespace stiefel::cuda {

/// A group's tile: x by nonzero, then products, then the sum of each row at its first nonzero.
template <class T>
struct BinTile {
    using Layout = BinLayout<T>;
    static constexpr int n_warps = Layout::group_threads / warp_size;

    T sum[Layout::padded_tile];
    unsigned starts[Layout::tile / 32];  // a bit for every nonzero: whether a row starts there
    T lead;                              // of the row that began before the tile
    T warp_sum[n_warps];                 // of the row that a warp leaves open
    int warp_start[n_warps];             // its place; -1 if it began before the warp
};

/// The rows that start in a tile.
template <class T, class Offset>
__device__ Index first_row_of(const BinnedArguments<T, Offset>& a, Index tile) {
    return a.first_row[tile < a.n_tiles ? tile * (BinLayout<T>::tile / CsrShares::nonzeros) : a.n_shares];
}

/// Asks for what a group will read of its tile, so that it is in the cache when the bins have come.
template <class T, class Offset>
__device__ void prefetch_tile(const BinnedArguments<T, Offset>& a, Index tile, int thread) {
    constexpr Index line = 128;
    if (tile >= a.n_tiles) return;
    const Size first = Size{tile} * BinLayout<T>::tile;
    const Size value = first + thread * (line / static_cast<Index>(sizeof(T)));
    if (value < a.nnz) prefetch(a.values + value);
    const Size places = Size{a.n_units[tile]} * BinLayout<T>::unit;
    const std::uint16_t* const position = a.position + Size{tile} * a.tile_units * BinLayout<T>::unit;
    for (Size i = Size{thread} * (line / 2); i < places; i += BinLayout<T>::group_threads * (line / 2)) {
        prefetch(position + i);
    }
}

/// Puts the bins of a tile, once all are there, where its nonzeros are.
template <class T, class Offset>
__device__ void receive(const BinnedArguments<T, Offset>& a, BinTile<T>& t, Index step, Index tile, int thread) {
    using Half = HalfUnit<T>;
    using Layout = BinLayout<T>;
    constexpr int batch = 5;
    const Size first = (Size{step % Layout::ring} * gridDim.x + blockIdx.x) * a.tile_units * 2;
    const uint4* const x = reinterpret_cast<const uint4*>(a.gathered) + first;
    const std::uint16_t* const positions = a.position + Size{tile} * a.tile_units * Layout::unit;
    const int end = 2 * a.n_units[tile];
    for (int base = thread; base < end; base += Layout::group_threads * batch) {
        std::uint16_t position[batch][Half::size];
        uint4 raw[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int half = base + u * Layout::group_threads;
            if (half >= end) break;
            Half::load(positions, half, position[u]);
            raw[u] = __ldcg(x + half);  // written during this kernel: not from the first-level cache
        }
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            if (base + u * Layout::group_threads >= end) break;
            Pack<T> pack;
            memcpy(&pack, &raw[u], sizeof pack);
#pragma unroll
            for (int i = 0; i < Half::size; ++i) {
                if (position[u][i] < Layout::tile) t.sum[Layout::padded(position[u][i])] = pack.value[i];
            }
        }
    }
}

/// Adds up the products of every row, each thread those of `items` nonzeros in a row, and leaves each sum at the row's
/// first. What a thread leaves open is closed by the thread where the next row starts: first within the warp, then,
/// with the warps' open sums, within the group.
template <class T>
__device__ void sum_rows(BinTile<T>& t, int group, int thread) {
    using Layout = BinLayout<T>;
    constexpr int items = Layout::items;
    const int lane = thread % warp_size;
    const int warp = thread / warp_size;
    const unsigned starts = t.starts[thread * items / 32] >> (thread * items % 32);
    T* const mine = t.sum + thread * (items + 1);
    T sum = 0;
    T before = 0;  // the first row start
    int start = -1;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if ((starts >> i & 1u) != 0) {
            if (start >= 0) {
                mine[start] = sum;
            } else {
                before = sum;
            }
            start = i;
            sum = 0;
        }
        sum += mine[i];
    }
    const bool closes = start >= 0;
    if (closes) start += thread * (items + 1);
    for (int step = 1; step < warp_size; step *= 2) {
        const T sum_before = __shfl_up_sync(all_lanes, sum, step);
        const int start_before = __shfl_up_sync(all_lanes, start, step);
        if (lane >= step && start < 0) {
            sum = sum_before + sum;
            start = start_before;
        }
    }
    if (lane == warp_size - 1) {
        t.warp_sum[warp] = sum;
        t.warp_start[warp] = start;
    }
    barrier(2 + group, Layout::group_threads);
    T open_sum = 0;  // what the warps before leave open
    int open_start = -1;
    for (int w = 0; w < warp; ++w) {
        open_sum = t.warp_start[w] >= 0 ? t.warp_sum[w] : open_sum + t.warp_sum[w];
        if (t.warp_start[w] >= 0) open_start = t.warp_start[w];
    }
    const T sum_before = __shfl_up_sync(all_lanes, sum, 1);
    const int start_before = __shfl_up_sync(all_lanes, start, 1);
    const auto close = [&](int at, T value) { (at >= 0 ? t.sum[at] : t.lead) = value; };
    if (closes) {
        if (lane == 0) {
            close(open_start, open_sum + before);
        } else if (start_before < 0) {
            close(open_start, open_sum + sum_before + before);
        } else {
            close(start_before, sum_before + before);
        }
    }
    if (thread == Layout::group_threads - 1) {
        start >= 0 ? close(start, sum) : close(open_start, open_sum + sum);
    }
}

/// Stores the rows that end in the tile where they start, and leaves the parts of the others to split_rows.
template <class T, class Offset>
__device__ double store_rows(const BinnedArguments<T, Offset>& a, const BinTile<T>& t, Index tile, int thread) {
    using Layout = BinLayout<T>;
    const Size first = Size{tile} * Layout::tile;
    const Index begin = first_row_of(a, tile);
    const Index end = first_row_of(a, tile + 1);
    double dot = 0;
    const auto sum_of = [&](Index row) { return t.sum[Layout::padded(static_cast<int>(a.row_ptr[row] - first))]; };
    for (Index row = begin + thread; row < end; row += Layout::group_threads) {
        const Offset row_end = a.row_ptr[row + 1];
        if (row_end > first + Layout::tile) continue;
        dot += a.out.store(row, row_end > a.row_ptr[row] ? sum_of(row) : T{0});
    }
    if (thread == 0) {
        a.split.carry[2 * tile] = static_cast<double>(t.lead);
        if (begin < end && a.row_ptr[end] > first + Layout::tile) {
            a.split.carry[2 * tile + 1] = static_cast<double>(sum_of(end - 1));
        }
    }
    return dot;
}

/// Adds up the rows of a group's tiles: this block's in every so-manieth step.
template <class T, class Offset>
__device__ double add_up(const BinnedArguments<T, Offset>& a, BinTile<T>& t, int group) {
    using Layout = BinLayout<T>;
    const int thread = (static_cast<int>(threadIdx.x) - Layout::gather_threads) % Layout::group_threads;
    const auto all_here = [group] { barrier(2 + group, Layout::group_threads); };
    double dot = 0;
    for (Index step = group; step < a.n_steps; step += Layout::groups) {
        const Index tile = step * static_cast<Index>(gridDim.x) + static_cast<Index>(blockIdx.x);
        if (tile >= a.n_tiles) {
            if (thread == 0) count_block(a.taken + step);
            continue;
        }
        prefetch_tile(a, tile, thread);
        const Size first = Size{tile} * Layout::tile;
        const int n = static_cast<int>(min(Size{Layout::tile}, a.nnz - first));
        for (int i = thread; i < Layout::tile / 32; i += Layout::group_threads) t.starts[i] = 0;
        all_here();
        const Index last_row = first_row_of(a, tile + 1);
        for (Index row = first_row_of(a, tile) + thread; row < last_row; row += Layout::group_threads) {
            const int start = static_cast<int>(a.row_ptr[row] - first);
            if (a.row_ptr[row + 1] > a.row_ptr[row]) atomicOr(t.starts + start / 32, 1u << (start % 32));
        }
        for (int i = n + thread; i < Layout::tile; i += Layout::group_threads) t.sum[Layout::padded(i)] = 0;
        if (thread == 0) wait_for_all(a.written + step);
        all_here();
        receive(a, t, step, tile, thread);
        all_here();
        if (thread == 0) atomicAdd(a.taken + step, 1u);  // nothing was written that others read
#pragma unroll 8
        for (int u = 0; u < Layout::items; ++u) {
            const int i = thread + u * Layout::group_threads;
            if (i < n) t.sum[Layout::padded(i)] *= load_once(a.values + first + i);
        }
        all_here();
        sum_rows(t, group, thread);
        all_here();
        dot += store_rows(a, t, tile, thread);
    }
    return dot;
}

/// Hands in this block's parts of rows that begin and end in different tiles. Those wait for the end, a warp for a
/// tile: nearly every tile has two, and each takes three trips to memory.
template <class T, class Offset>
__device__ void split_rows(const BinnedArguments<T, Offset>& a) {
    constexpr int warps = BinLayout<T>::threads / warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (Size k = Size{warp} * gridDim.x + blockIdx.x; k < a.n_tiles; k += Size{warps} * gridDim.x) {
        const auto tile = static_cast<Index>(k);
        const Size first = k * BinLayout<T>::tile;
        const Index begin = first_row_of(a, tile);
        const Index end = first_row_of(a, tile + 1);
        if (begin > 0 && a.row_ptr[begin] > first) {
            a.split.add(a.out, a.row_ptr, begin - 1, k, false, a.split.carry[2 * k]);
        }
        if (begin < end && a.row_ptr[end] > first + BinLayout<T>::tile) {
            a.split.add(a.out, a.row_ptr, end - 1, k, true, a.split.carry[2 * k + 1]);
        }
    }
}

}  // namespace stiefel::cuda
