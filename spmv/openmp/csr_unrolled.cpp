#include "stiefel/spmv/openmp/four_rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"

namespace stiefel::openmp {

template <class Stored, class T>
void csr_unrolled(OpenMP& backend, const HostCsr<Stored>& a, const SpmvArguments<T>& s) {
    a.row_ptr.visit([&](const auto* row_ptr) {
        const auto arrays = csr_arrays(a, row_ptr);
        for_row_blocks(backend, a, s, [&](Index first, Index last) { multiply_rows_by_four(arrays, s, first, last); });
    });
}

template void csr_unrolled(OpenMP&, const HostCsr<double>&, const SpmvArguments<double>&);
template void csr_unrolled(OpenMP&, const HostCsr<float>&, const SpmvArguments<float>&);
template void csr_unrolled(OpenMP&, const HostCsr<float>&, const SpmvArguments<double>&);

}  // namespace stiefel::openmp
