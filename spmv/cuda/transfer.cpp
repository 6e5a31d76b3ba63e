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
DeviceEllpack<T> to_device(Cuda& backend, const HostEllpack<T>& ellpack) {
    return {.n_rows = ellpack.n_rows,
            .n_cols = ellpack.n_cols,
            .n_nonzeros = ellpack.n_nonzeros,
            .width = ellpack.width,
            .stride = ellpack.stride,
            .layout = ellpack.layout,
            .row_length = to_device(backend, ellpack.row_length),
            .col_idx = to_device(backend, ellpack.col_idx),
            .values = to_device(backend, ellpack.values)};
}

template <class T>
DeviceSell<T> to_device(Cuda& backend, const HostSell<T>& sell) {
    return {.n_rows = sell.n_rows,
            .n_cols = sell.n_cols,
            .n_nonzeros = sell.n_nonzeros,
            .slice_height = sell.slice_height,
            .sigma = sell.sigma,
            .slice_ptr = to_device(backend, sell.slice_ptr),
            .row_length = to_device(backend, sell.row_length),
            .row_of_slot = to_device(backend, sell.row_of_slot),
            .col_idx = to_device(backend, sell.col_idx),
            .values = to_device(backend, sell.values)};
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
HostEllpack<T> to_host(Cuda& backend, const DeviceEllpack<T>& ellpack) {
    return {.n_rows = ellpack.n_rows,
            .n_cols = ellpack.n_cols,
            .n_nonzeros = ellpack.n_nonzeros,
            .width = ellpack.width,
            .stride = ellpack.stride,
            .layout = ellpack.layout,
            .row_length = to_host(backend, ellpack.row_length),
            .col_idx = to_host(backend, ellpack.col_idx),
            .values = to_host(backend, ellpack.values)};
}

template <class T>
HostSell<T> to_host(Cuda& backend, const DeviceSell<T>& sell) {
    return {.n_rows = sell.n_rows,
            .n_cols = sell.n_cols,
            .n_nonzeros = sell.n_nonzeros,
            .slice_height = sell.slice_height,
            .sigma = sell.sigma,
            .slice_ptr = to_host(backend, sell.slice_ptr),
            .row_length = to_host(backend, sell.row_length),
            .row_of_slot = to_host(backend, sell.row_of_slot),
            .col_idx = to_host(backend, sell.col_idx),
            .values = to_host(backend, sell.values)};
}

template DeviceCsr<double> to_device(Cuda&, const HostCsr<double>&);
template DeviceCsr<float> to_device(Cuda&, const HostCsr<float>&);
template DeviceEllpack<double> to_device(Cuda&, const HostEllpack<double>&);
template DeviceEllpack<float> to_device(Cuda&, const HostEllpack<float>&);
template DeviceSell<double> to_device(Cuda&, const HostSell<double>&);
template DeviceSell<float> to_device(Cuda&, const HostSell<float>&);
template HostCsr<double> to_host(Cuda&, const DeviceCsr<double>&);
template HostCsr<float> to_host(Cuda&, const DeviceCsr<float>&);
template HostEllpack<double> to_host(Cuda&, const DeviceEllpack<double>&);
template HostEllpack<float> to_host(Cuda&, const DeviceEllpack<float>&);
template HostSell<double> to_host(Cuda&, const DeviceSell<double>&);
template HostSell<float> to_host(Cuda&, const DeviceSell<float>&);

}  // namespace stiefel
