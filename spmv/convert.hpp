#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/coo.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/ellpack.hpp"
#include "stiefel/spmv/sell.hpp"

namespace stiefel {

/// Conversions are parallel, linear in the nonzeros and deterministic: the result does not depend on the threads.

template <class T, class Memory = HostMemory>
struct CsrFromCoo {
    Csr<T, Memory> csr{};
    Size n_duplicates = 0;  ///< entries of the COO that were added to an earlier one
};

/// Expands symmetric and skew-symmetric storage, sorts columns within rows, adds up duplicates (in the order given).
template <class T>
CsrFromCoo<T> csr_from_coo(OpenMP&, const Coo<T>& coo);

/// All entries row by row, Symmetry::general; with lower_triangle_only, the lower triangle marked symmetric.
template <class T>
Coo<T> coo_from_csr(OpenMP&, const HostCsr<T>& csr, bool lower_triangle_only = false);

/// Padding is refused beyond this: InvalidArgument names the limit, the size asked and the longest row.
struct PaddingLimit {
    double factor = 4.0;  ///< of the bytes of the entries without padding
};

template <class T>
HostEllpack<T> ellpack_from_csr(OpenMP&, const HostCsr<T>& csr, EllpackLayout layout, PaddingLimit limit = {});

template <class T>
HostSell<T> sell_from_csr(OpenMP&, const HostCsr<T>& csr, Index slice_height, Index sigma, PaddingLimit limit = {});

/// Rows sorted by length within windows of sigma.
template <class T>
HostCompressedSell<T> compressed_sell_from_csr(OpenMP&, const HostCsr<T>& csr, Index sigma, PaddingLimit limit = {});

template <class T>
struct ScaledCsr;

/// Of a matrix that is scaled and rounded to S on the way (scaled_csr.hpp).
template <class S, class T>
HostCompressedSell<S> compressed_sell_from_csr(OpenMP&, const ScaledCsr<T>& scaled, Index sigma,
                                               PaddingLimit limit = {});

}  // namespace stiefel
