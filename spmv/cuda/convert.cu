#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/rows_by_length.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/padding.hpp"

#include <utility>

namespace stiefel {

namespace {

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

}  // namespace

template <class T>
DeviceEllpack<T> ellpack_from_csr(Cuda& backend, const DeviceCsr<T>& csr, EllpackLayout layout, PaddingLimit limit) {
    DeviceEllpack<T> a{.n_rows = csr.n_rows, .n_cols = csr.n_cols, .n_nonzeros = csr.nnz(), .layout = layout};
    a.row_length = cuda::row_lengths(backend, csr.row_ptr, csr.n_rows, a.width);
    const bool by_rows = layout == EllpackLayout::row_major;
    a.stride = by_rows ? Size{a.width} : ellpack_column_stride(a.n_rows);
    check_padding(limit, "ellpack", a.width, Size{csr.n_rows} * a.width, csr.nnz(), sizeof(T) + sizeof(Index));
    const Size n_stored = by_rows ? csr.n_rows * a.stride : a.width * a.stride;
    a.col_idx = DeviceVector<Index>(backend, n_stored);
    a.values = DeviceVector<T>(backend, n_stored);
    const Size n_places = by_rows ? csr.n_rows : a.stride;  // rows, and those that fill up the stride
    csr.row_ptr.visit([&](const auto* row_ptr) {
        fill_ellpack_kernel<<<element_blocks(n_places), element_threads, 0, backend.stream()>>>(
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
    const DeviceVector<Index> row_length = cuda::row_lengths(backend, csr.row_ptr, csr.n_rows, longest);
    a.row_of_slot = cuda::rows_by_length(backend, row_length, csr.n_rows, a.n_slots(), sigma);
    a.row_length = DeviceVector<Index>(backend, a.n_slots());
    a.slice_ptr = DeviceVector<Size>(backend, Size{a.n_slices()} + 1);
    backend.zero_bytes(a.slice_ptr.data(), a.slice_ptr.bytes());
    slice_sizes_kernel<<<element_blocks(a.n_slices()), element_threads, 0, backend.stream()>>>(
        csr.n_rows, a.n_slices(), slice_height, row_length.data(), a.row_of_slot.data(), a.row_length.data(),
        a.slice_ptr.data());
    check_cuda(cudaGetLastError(), "launching slice_sizes");
    cuda::add_up(backend, a.slice_ptr);
    const Size n_stored = load(backend, a.slice_ptr.data() + a.n_slices());
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
        fill_sell_kernel<<<element_blocks(a.n_slots()), element_threads, 0, backend.stream()>>>(
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
