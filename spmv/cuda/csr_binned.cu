#include "stiefel/core/cuda/pack.cuh"
#include "stiefel/spmv/cuda/bins.hpp"
#include "stiefel/spmv/cuda/split_rows.cuh"

namespace stiefel::cuda {

namespace {

// Where columns are scattered, it is not memory that a product waits for but the second-level cache, which is asked for
// a sector for every nonzero. Here no multiprocessor reads x but its own strip of it, once. Some of its threads read
// from there, in shared memory, the elements that the nonzeros of the strip need, and send them off in bins, one for
// each tile of nonzeros; others receive all bins of a tile, put them where the nonzeros are, multiply and add up rows.
// The bins stay in the second-level cache, where they are written and read in whole lines.

template <class T, class Offset>
struct BinnedArguments {
    Size nnz;
    const Offset* row_ptr;
    const T* values;
    const Index* first_row;  // of shares of CsrShares::nonzeros
    Index n_shares;
    Index n_strips, n_tiles, n_steps, tile_units, strip_columns;
    const Index* strip_begin;
    const Index* step_begin;
    const std::uint16_t* column;
    const Index* destination;
    const std::uint16_t* position;
    const Index* n_units;
    T* gathered;
    unsigned* written;
    unsigned* taken;
    SplitRows<BinLayout<T>::tile> split;
    RowOutput<T> out;
};

/// Barrier of some warps of the block. Number 0 is that of all threads.
__device__ void barrier(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// Waits until all blocks have counted, and makes what they did before visible.
__device__ void wait_for_all(const unsigned* counter) {
    unsigned count = 0;
    while (true) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter) : "memory");
        if (count == gridDim.x) return;
        __nanosleep(20);
    }
}

/// Counts this block, after a barrier of the threads whose work others wait for.
__device__ void count_block(unsigned* counter) {
    __threadfence();
    atomicAdd(counter, 1u);
}

__device__ void prefetch(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/// Half a unit: what one 16-byte access moves.
template <class T>
struct HalfUnit {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    using Numbers = std::conditional_t<size == 2, ushort2, ushort4>;

    __device__ static void load(const std::uint16_t* array, Size half, std::uint16_t (&numbers)[size]) {
        const Numbers raw = __ldcs(reinterpret_cast<const Numbers*>(array) + half);
        memcpy(numbers, &raw, sizeof raw);
    }
};

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

template <class T, class Offset>
__device__ void load_strip(const BinnedArguments<T, Offset>& a, Index strip, T* x, int thread, int threads) {
    const Index begin = a.strip_begin[strip];
    const Index n = a.strip_begin[strip + 1] - begin;
#pragma unroll 8
    for (Index i = thread; i < n; i += threads) x[i] = __ldg(a.out.x + begin + i);
}

/// Sends the bins of this block's strips, step by step. `x` holds the first of them already.
template <class T, class Offset>
__device__ void gather(const BinnedArguments<T, Offset>& a, T* x) {
    using Half = HalfUnit<T>;
    constexpr int threads = BinLayout<T>::gather_threads;
    // What a strip usually has in a step, in one round, in double; in float that many would not fit in the registers.
    constexpr int batch = sizeof(T) == sizeof(double) ? 10 : 8;
    const int thread = static_cast<int>(threadIdx.x);
    const auto blocks = static_cast<Index>(gridDim.x);
    Index loaded = static_cast<Index>(blockIdx.x);
    for (Index step = 0; step < a.n_steps; ++step) {
        if (step >= BinLayout<T>::ring) {
            if (thread == 0) wait_for_all(a.taken + step - BinLayout<T>::ring);
            barrier(1, threads);
        }
        T* const tiles = a.gathered + Size{step % BinLayout<T>::ring} * blocks * a.tile_units * BinLayout<T>::unit;
        for (Index strip = static_cast<Index>(blockIdx.x); strip < a.n_strips; strip += blocks) {
            if (strip != loaded) {
                barrier(1, threads);
                load_strip(a, strip, x, thread, threads);
                barrier(1, threads);
                loaded = strip;
            }
            const Index* const step_begin = a.step_begin + Size{strip} * (a.n_steps + 1) + step;
            const Size end = 2 * Size{step_begin[1]};
            for (Size base = 2 * Size{step_begin[0]} + thread; base < end; base += threads * batch) {
                std::uint16_t column[batch][Half::size];
                Index to[batch];
#pragma unroll
                for (int u = 0; u < batch; ++u) {
                    const Size half = base + u * threads;
                    if (half >= end) break;
                    Half::load(a.column, half, column[u]);
                    to[u] = load_once(a.destination + half / 2);
                }
#pragma unroll
                for (int u = 0; u < batch; ++u) {
                    const Size half = base + u * threads;
                    if (half >= end) break;
                    Pack<T> pack;
#pragma unroll
                    for (int i = 0; i < Half::size; ++i) pack.value[i] = x[column[u][i]];
                    reinterpret_cast<Pack<T>*>(tiles)[2 * Size{to[u]} + half % 2] = pack;
                }
            }
        }
        barrier(1, threads);
        if (thread == 0) count_block(a.written + step);
    }
}

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

template <class T, class Offset>
__global__ void __launch_bounds__(BinLayout<T>::threads, 1) csr_binned_kernel(BinnedArguments<T, Offset> a) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ bool is_last;
    using Layout = BinLayout<T>;
    begin_kernel();
    auto* const tiles = reinterpret_cast<BinTile<T>*>(shared);
    T* const x = reinterpret_cast<T*>(tiles + Layout::groups);
    const int thread = static_cast<int>(threadIdx.x);
    if (static_cast<Index>(blockIdx.x) < a.n_strips) {
        load_strip(a, static_cast<Index>(blockIdx.x), x, thread, Layout::threads);
    }
    __syncthreads();
    double dot = 0;
    if (thread < Layout::gather_threads) {
        gather(a, x);
    } else {
        const int group = (thread - Layout::gather_threads) / Layout::group_threads;
        dot = add_up(a, tiles[group], group);
    }
    __syncthreads();
    split_rows(a);
    // The last block out leaves the counters as it found them; the last counter tells it.
    if (thread == 0) {
        __threadfence();
        is_last = atomicInc(a.taken + a.n_steps, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        for (Index i = thread; i < 2 * a.n_steps; i += Layout::threads) a.written[i] = 0;
    }
    a.out.finish(dot, a.split.dot, a.n_tiles);
}

}  // namespace

namespace {

/// The bins of a matrix, made when first asked for. Where there is no memory for them they do not `fit`.
template <class T>
const CsrBins<T>& bins_of(Cuda& backend, const DeviceCsr<T>& a) {
    if (a.bins == nullptr) {
        require(!backend.is_capturing(), "csr_binned: the first product with a matrix must not be captured in a graph");
        CsrBins<T> bins;
        try {
            bins = make_csr_bins(backend, a);
        } catch (const OutOfMemory&) {  // adaptive needs none
        }
        a.bins = std::make_unique<const CsrBins<T>>(std::move(bins));
    }
    return *a.bins;
}

}  // namespace

template <class T>
void csr_binned(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    const CsrBins<T>& bins = bins_of(backend, a);
    if (!bins.fits) return csr_adaptive(backend, a, s);
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        BinnedArguments<T, Offset> arguments{.nnz = a.nnz(),
                                             .row_ptr = row_ptr,
                                             .values = a.values.data(),
                                             .first_row = a.shares.first_row.data(),
                                             .n_shares = a.shares.n_shares,
                                             .n_strips = bins.n_strips,
                                             .n_tiles = bins.n_tiles,
                                             .n_steps = bins.n_steps,
                                             .tile_units = bins.tile_units,
                                             .strip_columns = bins.strip_columns,
                                             .strip_begin = bins.strip_begin.data(),
                                             .step_begin = bins.step_begin.data(),
                                             .column = bins.column.data(),
                                             .destination = bins.destination.data(),
                                             .position = bins.position.data(),
                                             .n_units = bins.n_units.data(),
                                             .gathered = bins.gathered.data(),
                                             .written = bins.counters.data(),
                                             .taken = bins.counters.data() + bins.n_steps,
                                             .split = {bins.carry.data(), bins.split_dot.data(), bins.arrived.data()},
                                             .out = RowOutput<T>(backend, s)};
        const auto kernel = csr_binned_kernel<T, Offset>;
        const auto shared_bytes = static_cast<int>(BinLayout<T>::groups * static_cast<Size>(sizeof(BinTile<T>)) +
                                                   bins.strip_columns * static_cast<Size>(sizeof(T)));
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
                   "asking for shared memory");
        void* pointers[] = {&arguments};
        check_cuda(cudaLaunchCooperativeKernel(kernel, static_cast<unsigned>(bins.blocks), BinLayout<T>::threads,
                                               pointers, static_cast<std::size_t>(shared_bytes), backend.stream()),
                   "launching csr_binned");
    });
}

template void csr_binned(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_binned(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
