#pragma once

#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/spmv.hpp"

/// The rungs of the OpenMP ladders, one file each; kernel_lists.cpp says what they are.
namespace stiefel::openmp {

template <class Stored, class T>
void csr_static(OpenMP&, const HostCsr<Stored>&, const SpmvArguments<T>&);
template <class Stored, class T>
void csr_unrolled(OpenMP&, const HostCsr<Stored>&, const SpmvArguments<T>&);
template <class Stored, class T>
void csr_balanced(OpenMP&, const HostCsr<Stored>&, const SpmvArguments<T>&);

template <class T>
void ellpack_static(OpenMP&, const HostEllpack<T>&, const SpmvArguments<T>&);
template <class T>
void ellpack_r(OpenMP&, const HostEllpack<T>&, const SpmvArguments<T>&);
template <class T>
void ellpack_4x2(OpenMP&, const HostEllpack<T>&, const SpmvArguments<T>&);

template <class Stored, class T>
void sell_static(OpenMP&, const HostSell<Stored>&, const SpmvArguments<T>&);
template <class Stored, class T>
void sell_simd(OpenMP&, const HostSell<Stored>&, const SpmvArguments<T>&);

template <class Stored, class T>
void compressed_sell_simd(OpenMP&, const HostCompressedSell<Stored>&, const SpmvArguments<T>&);

}  // namespace stiefel::openmp
