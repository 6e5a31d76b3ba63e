#pragma once

#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/kernel_list.hpp"

/// The rungs of the CUDA ladders, one file each; kernel_lists.cpp says what they are.
namespace stiefel::cuda {

template <class T>
void csr_scalar(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);
template <class T>
void csr_vector(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);
template <class T>
void csr_subwarp(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);
template <class T>
void csr_staged(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);
template <class T>
void csr_adaptive(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);
template <class T>
void csr_merge(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);
/// Runs csr_adaptive where there is no room for the bins.
template <class T>
void csr_binned(Cuda&, const DeviceCsr<T>&, const SpmvArguments<T>&);

template <class T>
void ellpack_thread(Cuda&, const DeviceEllpack<T>&, const SpmvArguments<T>&);
template <class T>
void ellpack_r(Cuda&, const DeviceEllpack<T>&, const SpmvArguments<T>&);
template <class T>
void ellpack_block(Cuda&, const DeviceEllpack<T>&, const SpmvArguments<T>&);
template <class T>
void ellpack_subwarp(Cuda&, const DeviceEllpack<T>&, const SpmvArguments<T>&);

template <class T>
void sell_thread(Cuda&, const DeviceSell<T>&, const SpmvArguments<T>&);

template <class T>
void compressed_sell_warp(Cuda&, const DeviceCompressedSell<T>&, const SpmvArguments<T>&);

}  // namespace stiefel::cuda
