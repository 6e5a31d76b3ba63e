#include "stiefel/solver/cuda/resident_step.cuh"

namespace stiefel {

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCsr<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        const CsrSlots<T, Offset> rows{a.n_rows, row_ptr, a.col_idx.data(), a.values.data()};
        cuda::set_resident_rows<T>(backend, step, rows, a.n_rows, a.nnz(), m, x, r, p, state);
    });
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (a.slice_height != warp_size) return;
    const SellSlots<T> rows{a.n_rows,         a.slice_ptr.data(), a.row_length.data(), a.row_of_slot.data(),
                            a.col_idx.data(), a.values.data()};
    cuda::set_resident_rows<T>(backend, step, rows, static_cast<Index>(a.n_slots()), a.values.size(), m, x, r, p,
                               state);
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceEllpack<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const bool by_rows = a.layout == EllpackLayout::row_major;
    const EllpackSlots<T> rows{
        a.n_rows,         a.width,        by_rows ? a.stride : 1, by_rows ? 1 : a.stride, a.row_length.data(),
        a.col_idx.data(), a.values.data()};
    cuda::set_resident_rows<T>(backend, step, rows, a.n_rows, Size{a.n_rows} * a.width, m, x, r, p, state);
}

template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<float>&, const DeviceJacobi<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);

}  // namespace stiefel
