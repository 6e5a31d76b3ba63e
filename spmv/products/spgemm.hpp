#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

/// C = A B for sparse A: m x p and B: p x n, row by row (Gustavson 1978). Entries that come out as zero are kept, so
/// that the pattern of C depends on those of A and B alone; the terms of an entry are added in the order of A's row, so
/// that the bits do not depend on the number of threads.
/// Throws InvalidArgument if the sizes do not fit. Memory: C, for a moment twice, and 8 n bytes for every thread.
template <class T>
HostCsr<T> spgemm(OpenMP&, const HostCsr<T>& a, const HostCsr<T>& b);

/// The same in one pass, with a place for every column that keeps its sum: written to be read. Memory: C, for a moment
/// up to three times, and 16 n bytes.
template <class T>
HostCsr<T> spgemm(Serial&, const HostCsr<T>& a, const HostCsr<T>& b);

/// P' A P for symmetric sparse A: n x n, of which the lower triangle is read, and P: n x m, with P'. As X + X' with
/// X = P' (L + D/2) P, which takes half the additions; so the result is symmetric to the last bit. Entries that come
/// out as zero are kept; the bits do not depend on the number of threads. Throws InvalidArgument if the sizes do not
/// fit.
template <class T>
HostCsr<T> galerkin_product(OpenMP&, const HostCsr<T>& a, const HostCsr<T>& p, const HostCsr<T>& p_transposed);

/// A', n x m for A: m x n.                                            2 nnz (T + Index) bytes and a counter a column
template <class T>
HostCsr<T> transpose(OpenMP&, const HostCsr<T>& a);

/// The same on a device: columns ascend, cancelled entries are kept, the bits are the same in every run. Rows are
/// counted before they are added up, each in a table that suits its length; the host waits once, for the nonzeros. The
/// results are without CsrShares: csr_shares() makes them, where the result is to be multiplied by a vector. Memory: C,
/// 28 bytes a row, and where a row has more than 3072 columns a value a column for every block that builds one.
template <class T>
DeviceCsr<T> spgemm(Cuda&, const DeviceCsr<T>& a, const DeviceCsr<T>& b);

/// As of the host, in an order of sums of its own; where A or P needs offsets of 64 bits symmetric up to rounding only.
/// Faster than spgemm(P', spgemm(A, P)) where A has many long rows: the host waits twice more, and the transpose and
/// the sum take their time (H200: 27-point 64^3 0.76 instead of 0.93 ms, 7-point 100^3 1.75 instead of 1.52). Memory: A
/// P, and P' A P twice.
template <class T>
DeviceCsr<T> galerkin_product(Cuda&, const DeviceCsr<T>& a, const DeviceCsr<T>& p, const DeviceCsr<T>& p_transposed);

/// P' (A P) where rows are short, and few rows of A P have more than 32 terms: nothing is counted before it is added
/// up, but a row of A P has room for 16 columns, one of the result for 96. Where one has more, both are spgemm()'s. The
/// bits are the same in every run. Memory: 16 columns and values a row of A, 96 a row of the result, and that.
template <class T>
DeviceCsr<T> short_galerkin_product(Cuda&, const DeviceCsr<T>& a, const DeviceCsr<T>& p,
                                    const DeviceCsr<T>& p_transposed);

/// Memory: A' and 24 bytes a nonzero.
template <class T>
DeviceCsr<T> transpose(Cuda&, const DeviceCsr<T>& a);

}  // namespace stiefel
