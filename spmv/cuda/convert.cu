#include "stiefel/core/cuda/early_module.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/cuda/scan.cuh"
#include "stiefel/spmv/cuda/shares.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/padding.hpp"

#include <utility>

namespace stiefel {

namespace {

constexpr int threads = 256;

unsigned blocks_for(Size n) {
    return static_cast<unsigned>(std::max<Size>((n + threads - 1) / threads, 1));
}

__device__ Size thread_number() {
    return Size{blockIdx.x} * blockDim.x + threadIdx.x;
}

/// *longest = max(*longest, length); whole warps call it together.
__device__ void raise_to(Index length, Index* longest) {
    for (int step = warp_size / 2; step > 0; step /= 2) length = max(length, __shfl_xor_sync(all_lanes, length, step));
    if (threadIdx.x % warp_size == 0) atomicMax(longest, length);
}

template <class Offset>
__global__ void row_lengths_kernel(Index n_rows, const Offset* row_ptr, Index* row_length, Index* longest) {
    const Size row = thread_number();
    Index length = 0;
    if (row < n_rows) {
        length = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]);
        row_length[row] = length;
    }
    raise_to(length, longest);
}

/// Writes a row's entries `step` apart, and its padding.
template <class T, class Offset>
__device__ void write_padded_row(const Offset* row_ptr, const Index* csr_cols, const T* csr_values, Index row,
                                 Index length, Index width, Size step, Index* cols, T* values) {
    const Offset first = length > 0 ? row_ptr[row] : Offset{0};
    const Index last_col = length > 0 ? csr_cols[first + length - 1] : 0;
    for (Index j = 0; j < width; ++j) {
        cols[j * step] = j < length ? csr_cols[first + j] : last_col;
        values[j * step] = j < length ? csr_values[first + j] : T{0};
    }
}

template <class T, class Offset>
__global__ void fill_ellpack_kernel(Index n_rows, Size n_places, bool by_rows, Size stride, Index width,
                                    const Offset* row_ptr, const Index* csr_cols, const T* csr_values,
                                    const Index* row_length, Index* cols, T* values) {
    const Size place = thread_number();
    if (place >= n_places) return;
    const Index row = static_cast<Index>(min(place, Size{n_rows}));
    const Size start = by_rows ? place * stride : place;
    write_padded_row(row_ptr, csr_cols, csr_values, row, row < n_rows ? row_length[row] : 0, width,
                     by_rows ? Size{1} : stride, cols + start, values + start);
}

/// The place of a row among its window of sigma rows, longest first and rows of a length in order: how many of them go
/// before it.
__global__ void sort_rows_kernel(Index n_rows, Size n_slots, Index sigma, const Index* row_length, Index* row_of_slot,
                                 int* moved) {
    const Size row = thread_number();
    if (row >= n_slots) return;
    if (row >= n_rows) {
        row_of_slot[row] = n_rows;
        return;
    }
    const Size first = row / sigma * sigma;
    const Size last = min(first + sigma, Size{n_rows});
    const Index length = row_length[row];
    Size place = first;
    for (Size other = first; other < last; ++other) {
        const Index other_length = row_length[other];
        place += other_length > length || (other_length == length && other < row);
    }
    row_of_slot[place] = static_cast<Index>(row);
    if (place != row) *moved = 1;
}

__global__ void slice_sizes_kernel(Index n_rows, Index n_slices, Index slice_height, const Index* row_length,
                                   const Index* row_of_slot, Index* slot_length, Size* slice_ptr) {
    const Size slice = thread_number();
    if (slice >= n_slices) return;
    Index width = 0;
    for (Index lane = 0; lane < slice_height; ++lane) {
        const Size slot = slice * slice_height + lane;
        const Size row = row_of_slot != nullptr ? row_of_slot[slot] : slot;
        slot_length[slot] = row < n_rows ? row_length[row] : 0;
        width = max(width, slot_length[slot]);
    }
    slice_ptr[slice + 1] = Size{width} * slice_height;
    if (slice == 0) slice_ptr[0] = 0;
}

template <class T, class Offset>
__global__ void fill_sell_kernel(Index n_rows, Size n_slots, Index slice_height, const Size* slice_ptr,
                                 const Index* row_of_slot, const Index* slot_length, const Offset* row_ptr,
                                 const Index* csr_cols, const T* csr_values, Index* cols, T* values) {
    const Size slot = thread_number();
    if (slot >= n_slots) return;
    const Size slice = slot / slice_height;
    const Size begin = slice_ptr[slice];
    const auto width = static_cast<Index>((slice_ptr[slice + 1] - begin) / slice_height);
    const Size row = row_of_slot != nullptr ? row_of_slot[slot] : min(slot, Size{n_rows});
    const Size start = begin + slot % slice_height;
    write_padded_row(row_ptr, csr_cols, csr_values, static_cast<Index>(row), slot_length[slot], width,
                     Size{slice_height}, cols + start, values + start);
}

/// The first row that starts at the share's first nonzero or later; and the length of the longest row.
template <class Offset>
__global__ void shares_kernel(Index n_rows, Index n_shares, const Offset* row_ptr, Index* first_row, Index* longest) {
    const Size k = thread_number();
    raise_to(k < n_rows ? static_cast<Index>(row_ptr[k + 1] - row_ptr[k]) : 0, longest);
    if (k > n_shares) return;
    Index low = 0;
    Index high = n_rows;
    while (low < high && k < n_shares) {
        const Index middle = low + (high - low) / 2;
        if (row_ptr[middle] < k * CsrShares::nonzeros) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    first_row[k] = k < n_shares ? low : n_rows;
}

template <class T>
DeviceVector<T> zeros(Cuda& backend, Size n) {
    DeviceVector<T> v(backend, n);
    backend.zero_bytes(v.data(), v.bytes());
    return v;
}

/// Row lengths, and the longest.
template <class T>
DeviceVector<Index> row_lengths(Cuda& backend, const DeviceCsr<T>& csr, Index& longest) {
    DeviceVector<Index> lengths(backend, csr.n_rows);
    auto maximum = zeros<Index>(backend, 1);
    csr.row_ptr.visit([&](const auto* row_ptr) {
        row_lengths_kernel<<<blocks_for(csr.n_rows), threads, 0, backend.stream()>>>(csr.n_rows, row_ptr,
                                                                                     lengths.data(), maximum.data());
    });
    check_cuda(cudaGetLastError(), "launching row_lengths");
    longest = load(backend, maximum);
    return lengths;
}

/// The rows by slot; empty if no row moved.
DeviceVector<Index> sorted_rows(Cuda& backend, const DeviceVector<Index>& row_length, Index n_rows, Size n_slots,
                                Index sigma) {
    if (sigma == 1 || n_rows == 0) return {};
    DeviceVector<Index> rows(backend, n_slots);
    auto moved = zeros<int>(backend, 1);
    sort_rows_kernel<<<blocks_for(n_slots), threads, 0, backend.stream()>>>(n_rows, n_slots, sigma, row_length.data(),
                                                                            rows.data(), moved.data());
    check_cuda(cudaGetLastError(), "launching sort_rows");
    if (load(backend, moved) == 0) return {};
    return rows;
}

}  // namespace

CsrShares csr_shares(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz) {
    CsrShares s;
    s.n_shares = static_cast<Index>(nnz / CsrShares::nonzeros + 1);
    s.first_row = DeviceVector<Index>(backend, Size{s.n_shares} + 1);
    const Size n_tiles = (n_rows + nnz) / CsrShares::merge_items + 1;
    s.carry = DeviceVector<double>(backend, std::max(2 * Size{s.n_shares}, n_tiles));
    s.carry_row = DeviceVector<Index>(backend, n_tiles);
    s.split_dot = zeros<double>(backend, s.n_shares);
    s.arrived = zeros<unsigned>(backend, s.n_shares);
    auto longest = zeros<Index>(backend, 1);
    row_ptr.visit([&](const auto* offsets) {
        shares_kernel<<<blocks_for(std::max<Size>(n_rows, Size{s.n_shares} + 1)), threads, 0, backend.stream()>>>(
            n_rows, s.n_shares, offsets, s.first_row.data(), longest.data());
    });
    check_cuda(cudaGetLastError(), "launching shares");
    s.longest_row = load(backend, longest);
    s.has_split_rows = s.longest_row > CsrShares::nonzeros;
    return s;
}

template <class T>
DeviceEllpack<T> ellpack_from_csr(Cuda& backend, const DeviceCsr<T>& csr, EllpackLayout layout, PaddingLimit limit) {
    DeviceEllpack<T> a{.n_rows = csr.n_rows, .n_cols = csr.n_cols, .n_nonzeros = csr.nnz(), .layout = layout};
    a.row_length = row_lengths(backend, csr, a.width);
    const bool by_rows = layout == EllpackLayout::row_major;
    a.stride = by_rows ? Size{a.width} : ellpack_column_stride(a.n_rows);
    check_padding(limit, "ellpack", a.width, Size{csr.n_rows} * a.width, csr.nnz(), sizeof(T) + sizeof(Index));
    const Size n_stored = by_rows ? csr.n_rows * a.stride : a.width * a.stride;
    a.col_idx = DeviceVector<Index>(backend, n_stored);
    a.values = DeviceVector<T>(backend, n_stored);
    const Size n_places = by_rows ? csr.n_rows : a.stride;  // rows, and those that fill up the stride
    csr.row_ptr.visit([&](const auto* row_ptr) {
        fill_ellpack_kernel<<<blocks_for(n_places), threads, 0, backend.stream()>>>(
            csr.n_rows, n_places, by_rows, a.stride, a.width, row_ptr, csr.col_idx.data(), csr.values.data(),
            a.row_length.data(), a.col_idx.data(), a.values.data());
    });
    check_cuda(cudaGetLastError(), "launching fill_ellpack");
    return a;
}

namespace {

/// SELL without its entries.
template <class T>
struct SellLayout {
    DeviceSell<T> a;
    Size n_stored = 0;
    Index longest = 0;
};

template <class T>
SellLayout<T> sell_layout(Cuda& backend, const DeviceCsr<T>& csr, Index slice_height, Index sigma) {
    require(slice_height > 0, "sell_from_csr: slice_height must be positive");
    require(sigma > 0, "sell_from_csr: sigma must be positive");
    DeviceSell<T> a{.n_rows = csr.n_rows,
                    .n_cols = csr.n_cols,
                    .n_nonzeros = csr.nnz(),
                    .slice_height = slice_height,
                    .sigma = sigma};
    Index longest = 0;
    const DeviceVector<Index> row_length = row_lengths(backend, csr, longest);
    a.row_of_slot = sorted_rows(backend, row_length, csr.n_rows, a.n_slots(), sigma);
    a.row_length = DeviceVector<Index>(backend, a.n_slots());
    a.slice_ptr = zeros<Size>(backend, Size{a.n_slices()} + 1);
    slice_sizes_kernel<<<blocks_for(a.n_slices()), threads, 0, backend.stream()>>>(
        csr.n_rows, a.n_slices(), slice_height, row_length.data(), a.row_of_slot.data(), a.row_length.data(),
        a.slice_ptr.data());
    cuda::scan_kernel<<<1, cuda::scan_threads, 0, backend.stream()>>>(a.slice_ptr.size(), a.slice_ptr.data());
    check_cuda(cudaGetLastError(), "launching scan");
    Size n_stored = 0;
    backend.copy_bytes(&n_stored, a.slice_ptr.data() + a.n_slices(), sizeof n_stored);
    backend.synchronize();
    return {std::move(a), n_stored, longest};
}

}  // namespace

template <class T>
Size sell_entries(Cuda& backend, const DeviceCsr<T>& csr, Index slice_height, Index sigma) {
    return sell_layout(backend, csr, slice_height, sigma).n_stored;
}

template <class T>
DeviceSell<T> sell_from_csr(Cuda& backend, const DeviceCsr<T>& csr, Index slice_height, Index sigma,
                            PaddingLimit limit) {
    auto [a, n_stored, longest] = sell_layout(backend, csr, slice_height, sigma);
    check_padding(limit, "sell", longest, n_stored, csr.nnz(), sizeof(T) + sizeof(Index));
    a.col_idx = DeviceVector<Index>(backend, n_stored);
    a.values = DeviceVector<T>(backend, n_stored);
    csr.row_ptr.visit([&](const auto* row_ptr) {
        fill_sell_kernel<<<blocks_for(a.n_slots()), threads, 0, backend.stream()>>>(
            csr.n_rows, a.n_slots(), slice_height, a.slice_ptr.data(), a.row_of_slot.data(), a.row_length.data(),
            row_ptr, csr.col_idx.data(), csr.values.data(), a.col_idx.data(), a.values.data());
    });
    check_cuda(cudaGetLastError(), "launching fill_sell");
    return std::move(a);
}

template DeviceEllpack<double> ellpack_from_csr(Cuda&, const DeviceCsr<double>&, EllpackLayout, PaddingLimit);
template DeviceEllpack<float> ellpack_from_csr(Cuda&, const DeviceCsr<float>&, EllpackLayout, PaddingLimit);
template DeviceSell<double> sell_from_csr(Cuda&, const DeviceCsr<double>&, Index, Index, PaddingLimit);
template DeviceSell<float> sell_from_csr(Cuda&, const DeviceCsr<float>&, Index, Index, PaddingLimit);
template Size sell_entries(Cuda&, const DeviceCsr<double>&, Index, Index);
template Size sell_entries(Cuda&, const DeviceCsr<float>&, Index, Index);

}  // namespace stiefel
