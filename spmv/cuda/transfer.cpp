#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/cuda/shares.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

namespace {

template <class T>
DeviceVector<T> to_device(Cuda& backend, const HostVector<T>& from) {
    DeviceVector<T> to(backend, from.size());
    upload(backend, from, to);
    return to;
}

template <class T>
HostVector<T> to_host(Cuda& backend, const DeviceVector<T>& from) {
    HostVector<T> to(from.size());
    download(backend, from, to);
    return to;
}

template <class Offset>
RowOffsets<DeviceMemory> offsets_to_device(Cuda& backend, const Offset* row_ptr, Size n) {
    DeviceVector<Offset> offsets(backend, n);
    backend.upload_bytes(offsets.data(), row_ptr, offsets.bytes());
    return RowOffsets<DeviceMemory>(std::move(offsets));
}

template <class Offset>
RowOffsets<HostMemory> offsets_to_host(Cuda& backend, const Offset* row_ptr, Size n) {
    HostVector<Offset> offsets(n);
    backend.download_bytes(offsets.data(), row_ptr, offsets.bytes());
    return RowOffsets<HostMemory>(std::move(offsets));
}

/// A matrix in other memory, its arrays as moved(array) gives them.
template <class Memory, class T, class From, class F>
Ellpack<T, Memory> moved_to(const Ellpack<T, From>& a, F&& moved) {
    return {.n_rows = a.n_rows,
            .n_cols = a.n_cols,
            .n_nonzeros = a.n_nonzeros,
            .width = a.width,
            .stride = a.stride,
            .layout = a.layout,
            .row_length = moved(a.row_length),
            .col_idx = moved(a.col_idx),
            .values = moved(a.values)};
}

template <class Memory, class T, class From, class F>
Sell<T, Memory> moved_to(const Sell<T, From>& a, F&& moved) {
    return {.n_rows = a.n_rows,
            .n_cols = a.n_cols,
            .n_nonzeros = a.n_nonzeros,
            .slice_height = a.slice_height,
            .sigma = a.sigma,
            .slice_ptr = moved(a.slice_ptr),
            .row_length = moved(a.row_length),
            .row_of_slot = moved(a.row_of_slot),
            .col_idx = moved(a.col_idx),
            .values = moved(a.values)};
}

template <class Memory, class T, class From, class F>
CompressedSell<T, Memory> moved_to(const CompressedSell<T, From>& a, F&& moved) {
    return {.n_rows = a.n_rows,
            .n_cols = a.n_cols,
            .n_nonzeros = a.n_nonzeros,
            .slices = moved(a.slices),
            .row_of_slot = moved(a.row_of_slot),
            .base = moved(a.base),
            .distances = moved(a.distances),
            .values = moved(a.values)};
}

template <class Matrix>
auto moved_to_device(Cuda& backend, const Matrix& a) {
    return moved_to<DeviceMemory>(a, [&](const auto& array) { return to_device(backend, array); });
}

template <class Matrix>
auto moved_to_host(Cuda& backend, const Matrix& a) {
    return moved_to<HostMemory>(a, [&](const auto& array) { return to_host(backend, array); });
}

}  // namespace

template <class T>
DeviceCsr<T> to_device(Cuda& backend, const HostCsr<T>& csr) {
    DeviceCsr<T> a;
    a.n_rows = csr.n_rows;
    a.n_cols = csr.n_cols;
    a.row_ptr =
        csr.row_ptr.visit([&](const auto* row_ptr) { return offsets_to_device(backend, row_ptr, csr.row_ptr.size()); });
    a.col_idx = to_device(backend, csr.col_idx);
    a.values = to_device(backend, csr.values);
    a.shares = csr_shares(backend, a.row_ptr, a.n_rows, a.nnz());
    return a;
}

template <class T>
HostCsr<T> to_host(Cuda& backend, const DeviceCsr<T>& csr) {
    HostCsr<T> a;
    a.n_rows = csr.n_rows;
    a.n_cols = csr.n_cols;
    a.row_ptr =
        csr.row_ptr.visit([&](const auto* row_ptr) { return offsets_to_host(backend, row_ptr, csr.row_ptr.size()); });
    a.col_idx = to_host(backend, csr.col_idx);
    a.values = to_host(backend, csr.values);
    return a;
}

template <class T>
DeviceEllpack<T> to_device(Cuda& backend, const HostEllpack<T>& ellpack) {
    return moved_to_device(backend, ellpack);
}

template <class T>
DeviceSell<T> to_device(Cuda& backend, const HostSell<T>& sell) {
    return moved_to_device(backend, sell);
}

template <class T>
DeviceCompressedSell<T> to_device(Cuda& backend, const HostCompressedSell<T>& compressed) {
    return moved_to_device(backend, compressed);
}

template <class T>
HostEllpack<T> to_host(Cuda& backend, const DeviceEllpack<T>& ellpack) {
    return moved_to_host(backend, ellpack);
}

template <class T>
HostSell<T> to_host(Cuda& backend, const DeviceSell<T>& sell) {
    return moved_to_host(backend, sell);
}

template <class T>
HostCompressedSell<T> to_host(Cuda& backend, const DeviceCompressedSell<T>& compressed) {
    return moved_to_host(backend, compressed);
}

template DeviceCsr<double> to_device(Cuda&, const HostCsr<double>&);
template DeviceCsr<float> to_device(Cuda&, const HostCsr<float>&);
template DeviceEllpack<double> to_device(Cuda&, const HostEllpack<double>&);
template DeviceEllpack<float> to_device(Cuda&, const HostEllpack<float>&);
template DeviceSell<double> to_device(Cuda&, const HostSell<double>&);
template DeviceSell<float> to_device(Cuda&, const HostSell<float>&);
template DeviceCompressedSell<double> to_device(Cuda&, const HostCompressedSell<double>&);
template DeviceCompressedSell<float> to_device(Cuda&, const HostCompressedSell<float>&);
template HostCsr<double> to_host(Cuda&, const DeviceCsr<double>&);
template HostCsr<float> to_host(Cuda&, const DeviceCsr<float>&);
template HostEllpack<double> to_host(Cuda&, const DeviceEllpack<double>&);
template HostEllpack<float> to_host(Cuda&, const DeviceEllpack<float>&);
template HostSell<double> to_host(Cuda&, const DeviceSell<double>&);
template HostSell<float> to_host(Cuda&, const DeviceSell<float>&);
template HostCompressedSell<double> to_host(Cuda&, const DeviceCompressedSell<double>&);
template HostCompressedSell<float> to_host(Cuda&, const DeviceCompressedSell<float>&);

}  // namespace stiefel
