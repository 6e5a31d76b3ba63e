#include "stiefel/spmv/cuda/bins.hpp"

#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/cuda/scan.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace stiefel::cuda {

namespace {

constexpr Index most_strips = 4096;        // counted in shared memory
constexpr Size reserved_bytes = 4 * 1024;  // of shared memory, for sums over the block and flags of rows
constexpr int no_position = 0xff;          // of each byte: padding

template <class T>
DeviceVector<T> filled(Cuda& backend, Size n, int byte) {
    DeviceVector<T> v(backend, n);
    if (n > 0) {
        check_cuda(cudaMemsetAsync(v.data(), byte, static_cast<std::size_t>(v.bytes()), backend.stream()),
                   "filling memory");
    }
    return v;
}

template <class T>
DeviceVector<T> to_device(Cuda& backend, const std::vector<T>& from) {
    DeviceVector<T> to(backend, static_cast<Size>(from.size()));
    backend.copy_bytes(to.data(), from.data(), to.bytes());
    return to;
}

__global__ void count_columns_kernel(Size nnz, const Index* col_idx, unsigned* hits) {
    for (Size k = Size{blockIdx.x} * blockDim.x + threadIdx.x; k < nnz; k += Size{gridDim.x} * blockDim.x) {
        atomicAdd(hits + col_idx[k] / columns_per_group, 1u);
    }
}

/// Ends of strips of no more than `most_groups` groups and, unless one group alone has more, `most_hits` nonzeros.
std::vector<Index> cut(const HostVector<unsigned>& hits, Size most_groups, Size most_hits) {
    std::vector<Index> begin{0};
    Size sum = 0;
    for (Size g = 0; g < hits.size(); ++g) {
        if (g > begin.back() && (sum + hits[g] > most_hits || g - begin.back() == most_groups)) {
            begin.push_back(static_cast<Index>(g));
            sum = 0;
        }
        sum += hits[g];
    }
    begin.push_back(static_cast<Index>(hits.size()));
    return begin;
}

/// Cuts the groups of columns into at most n strips whose fullest has, to a percent, as few nonzeros as can be.
std::vector<Index> balanced_strips(const HostVector<unsigned>& hits, Size nnz, Size most_groups, Size n) {
    Size low = nnz / n, high = std::max<Size>(nnz, 1);
    while (high - low > low / 100 + 1) {
        const Size middle = low + (high - low) / 2;
        const bool enough = static_cast<Size>(cut(hits, most_groups, middle).size()) <= n + 1;
        (enough ? high : low) = middle;
    }
    return cut(hits, most_groups, high);
}

/// What the kernels that fill the bins share.
template <class T>
struct Filling {
    Size nnz;
    Index n_strips, n_tiles, blocks, tile_units;
    const Index* col_idx;
    const std::uint16_t* strip_of_group;
    const Index* strip_begin;
    Size* unit_end;  // by strip and tile, counts before they are scanned
    Index* n_units;
    std::uint16_t* column;
    Index* destination;
    std::uint16_t* position;
};

/// A block for a tile: the units of each of its bins.
template <class T>
__global__ void __launch_bounds__(element_threads) count_bins_kernel(Filling<T> f) {
    constexpr Index tile = BinLayout<T>::tile, unit = BinLayout<T>::unit;
    __shared__ Index count[most_strips];
    __shared__ Index total;
    for (Index j = static_cast<Index>(threadIdx.x); j < f.n_strips; j += element_threads) count[j] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const Size first = Size{blockIdx.x} * tile;
    const Size last = min(first + tile, f.nnz);
    for (Size k = first + threadIdx.x; k < last; k += element_threads) {
        atomicAdd(count + f.strip_of_group[f.col_idx[k] / columns_per_group], 1);
    }
    __syncthreads();
    for (Index j = static_cast<Index>(threadIdx.x); j < f.n_strips; j += element_threads) {
        const Index units = (count[j] + unit - 1) / unit;
        f.unit_end[Size{j} * f.n_tiles + blockIdx.x] = units;
        atomicAdd(&total, units);
    }
    __syncthreads();
    if (threadIdx.x == 0) f.n_units[blockIdx.x] = total;
}

/// A block for a tile: puts its nonzeros into the bins. The order within a bin is left to chance: a nonzero's place in
/// the tile, and so every sum, does not depend on it.
template <class T>
__global__ void __launch_bounds__(element_threads) fill_bins_kernel(Filling<T> f) {
    constexpr Index tile = BinLayout<T>::tile, unit = BinLayout<T>::unit;
    __shared__ Index count[most_strips];
    __shared__ Index begin[most_strips];  // of the bins, in units, among the tile's
    const auto number = static_cast<Index>(blockIdx.x);
    const auto unit_begin = [&](Index j) {
        const Size bin = Size{j} * f.n_tiles + number;
        return bin > 0 ? f.unit_end[bin - 1] : Size{0};
    };
    if (threadIdx.x < warp_size) {
        Index before = 0;
        for (Index base = 0; base < f.n_strips; base += warp_size) {
            const Index j = base + static_cast<Index>(threadIdx.x);
            const Index own =
                j < f.n_strips ? static_cast<Index>(f.unit_end[Size{j} * f.n_tiles + number] - unit_begin(j)) : 0;
            Index sum = own;
            for (int step = 1; step < warp_size; step *= 2) {
                const Index add = __shfl_up_sync(all_lanes, sum, step);
                if (static_cast<int>(threadIdx.x) >= step) sum += add;
            }
            if (j < f.n_strips) {
                begin[j] = before + sum - own;
                count[j] = 0;
            }
            before += __shfl_sync(all_lanes, sum, warp_size - 1);
        }
    }
    __syncthreads();
    const Size first = Size{number} * tile;
    const Size last = min(first + tile, f.nnz);
    for (Size k = first + threadIdx.x; k < last; k += element_threads) {
        const Index col = f.col_idx[k];
        const Index j = f.strip_of_group[col / columns_per_group];
        const Index rank = atomicAdd(count + j, 1);
        const Size from = unit_begin(j) + rank / unit;
        const Index to = begin[j] + rank / unit;
        f.column[from * unit + rank % unit] = static_cast<std::uint16_t>(col - f.strip_begin[j]);
        f.position[(Size{number} * f.tile_units + to) * unit + rank % unit] = static_cast<std::uint16_t>(k - first);
        if (rank % unit == 0) f.destination[from] = number % f.blocks * f.tile_units + to;
    }
}

__global__ void step_begins_kernel(Index n_strips, Index n_tiles, Index n_steps, Index blocks, const Size* unit_end,
                                   Index* step_begin) {
    const Size place = thread_number();
    if (place >= Size{n_strips} * (n_steps + 1)) return;
    const Size strip = place / (n_steps + 1);
    const Size bin = strip * n_tiles + min(place % (n_steps + 1) * blocks, Size{n_tiles});
    step_begin[place] = bin > 0 ? static_cast<Index>(unit_end[bin - 1]) : 0;
}

/// Nonzeros by groups of columns.
template <class T>
HostVector<unsigned> column_hits(Cuda& backend, const DeviceCsr<T>& a) {
    auto hits = filled<unsigned>(backend, (Size{a.n_cols} + columns_per_group - 1) / columns_per_group, 0);
    const auto grid =
        std::min<unsigned>(element_blocks(a.nnz()), 8u * static_cast<unsigned>(backend.device().multiprocessors));
    count_columns_kernel<<<grid, element_threads, 0, backend.stream()>>>(a.nnz(), a.col_idx.data(), hits.data());
    check_cuda(cudaGetLastError(), "launching count_columns");
    HostVector<unsigned> on_host(hits.size());
    download(backend, hits, on_host);
    return on_host;
}

}  // namespace

template <class T>
CsrBins<T> make_csr_bins(Cuda& backend, const DeviceCsr<T>& a) {
    using Layout = BinLayout<T>;
    CsrBins<T> bins;
    bins.blocks = backend.device().multiprocessors;
    const Size shared = backend.device().shared_bytes_per_block - reserved_bytes -
                        Size{Layout::groups} * (Layout::padded_tile * static_cast<Size>(sizeof(T)) + Layout::tile / 8);
    const Size most_columns =
        std::min<Size>(shared / static_cast<Size>(sizeof(T)), std::numeric_limits<std::uint16_t>::max() + 1);
    const Size most_groups = most_columns / columns_per_group;
    if (most_groups < 1) return bins;
    const Size n_groups = (Size{a.n_cols} + columns_per_group - 1) / columns_per_group;
    const Size per_block = std::max<Size>((n_groups + bins.blocks * most_groups - 1) / (bins.blocks * most_groups), 1);
    if (per_block * bins.blocks > most_strips) return bins;

    const HostVector<unsigned> hits = column_hits(backend, a);
    const std::vector<Index> group_begin = balanced_strips(hits, a.nnz(), most_groups, per_block * bins.blocks);
    bins.n_strips = static_cast<Index>(group_begin.size()) - 1;
    std::vector<Index> strip_begin(group_begin.size());
    std::vector<std::uint16_t> strip_of_group(static_cast<std::size_t>(n_groups));
    for (std::size_t j = 0; j < group_begin.size(); ++j) {
        strip_begin[j] = static_cast<Index>(std::min<Size>(Size{group_begin[j]} * columns_per_group, a.n_cols));
        if (j == 0) continue;
        bins.strip_columns = std::max(bins.strip_columns, strip_begin[j] - strip_begin[j - 1]);
        std::fill(strip_of_group.begin() + group_begin[j - 1], strip_of_group.begin() + group_begin[j],
                  static_cast<std::uint16_t>(j - 1));
    }
    bins.strip_begin = to_device(backend, strip_begin);
    const DeviceVector<std::uint16_t> strips = to_device(backend, strip_of_group);

    const Size n_tiles = a.nnz() / Layout::tile + 1;
    const Size units = (Layout::tile + Size{bins.n_strips} * (Layout::unit - 1) + Layout::unit - 1) / Layout::unit;
    if (n_tiles * units > std::numeric_limits<Index>::max()) return bins;
    bins.n_tiles = static_cast<Index>(n_tiles);
    bins.n_steps = static_cast<Index>((n_tiles + bins.blocks - 1) / bins.blocks);
    bins.tile_units = static_cast<Index>(units);
    bins.n_units = DeviceVector<Index>(backend, n_tiles);
    DeviceVector<Size> unit_end(backend, bins.n_strips * n_tiles);
    Filling<T> filling{.nnz = a.nnz(),
                       .n_strips = bins.n_strips,
                       .n_tiles = bins.n_tiles,
                       .blocks = bins.blocks,
                       .tile_units = bins.tile_units,
                       .col_idx = a.col_idx.data(),
                       .strip_of_group = strips.data(),
                       .strip_begin = bins.strip_begin.data(),
                       .unit_end = unit_end.data(),
                       .n_units = bins.n_units.data(),
                       .column = nullptr,
                       .destination = nullptr,
                       .position = nullptr};
    const auto grid = static_cast<unsigned>(n_tiles);
    count_bins_kernel<<<grid, element_threads, 0, backend.stream()>>>(filling);
    check_cuda(cudaGetLastError(), "launching count_bins");
    add_up(backend, unit_end);
    const Size n_units = unit_end.empty() ? 0 : load(backend, unit_end.data() + unit_end.size() - 1);

    bins.column = filled<std::uint16_t>(backend, n_units * Layout::unit, 0);
    bins.destination = DeviceVector<Index>(backend, n_units);
    bins.position = filled<std::uint16_t>(backend, n_tiles * units * Layout::unit, no_position);
    filling.column = bins.column.data();
    filling.destination = bins.destination.data();
    filling.position = bins.position.data();
    fill_bins_kernel<<<grid, element_threads, 0, backend.stream()>>>(filling);
    bins.step_begin = DeviceVector<Index>(backend, Size{bins.n_strips} * (bins.n_steps + 1));
    step_begins_kernel<<<element_blocks(bins.step_begin.size()), element_threads, 0, backend.stream()>>>(
        bins.n_strips, bins.n_tiles, bins.n_steps, bins.blocks, unit_end.data(), bins.step_begin.data());
    check_cuda(cudaGetLastError(), "launching fill_bins");

    bins.gathered = DeviceVector<T>(backend, Size{Layout::ring} * bins.blocks * units * Layout::unit);
    bins.counters = filled<unsigned>(backend, Size{2} * bins.n_steps + 1, 0);
    bins.carry = DeviceVector<double>(backend, 2 * n_tiles);
    bins.split_dot = filled<double>(backend, n_tiles, 0);
    bins.arrived = filled<unsigned>(backend, n_tiles, 0);
    bins.fits = true;
    return bins;
}

template CsrBins<double> make_csr_bins(Cuda&, const DeviceCsr<double>&);
template CsrBins<float> make_csr_bins(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel::cuda
