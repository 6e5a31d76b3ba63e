#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/slice_blocks.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel::openmp {

template <class Stored, class T>
void sell_static(OpenMP& backend, const HostSell<Stored>& a, const SpmvArguments<T>& s) {
    for_slice_blocks(backend, a, s, [&](Index slice) {
        const Size first_slot = Size{slice} * a.slice_height;
        for (Index lane = 0; lane < a.slice_height; ++lane) {
            const Index row = a.row(first_slot + lane);
            if (row >= a.n_rows) continue;
            T sum = 0;
            for (Index j = 0; j < a.row_length[first_slot + lane]; ++j) {
                const Size k = a.slice_ptr[slice] + Size{j} * a.slice_height + lane;
                sum += a.values[k] * s.x[a.col_idx[k]];
            }
            update_row(s.y[row], sum, s.alpha, s.beta);
        }
    });
}

template void sell_static(OpenMP&, const HostSell<double>&, const SpmvArguments<double>&);
template void sell_static(OpenMP&, const HostSell<float>&, const SpmvArguments<float>&);
template void sell_static(OpenMP&, const HostSell<float>&, const SpmvArguments<double>&);

}  // namespace stiefel::openmp
