#include "stiefel/preconditioner/amg/chebyshev_steps.hpp"

#include "stiefel/spmv/openmp/compressed/rows.hpp"

namespace stiefel::amg {

template <class S>
void begin_chebyshev(OpenMP& backend, const CompressedSell<S>& a, const TwoSteps<S>& steps, S* r, S* d, S* x,
                     S* other) {
    for_compressed_rows(backend, a, r, [=](Index i, S product) {  // the first step is a multiple of r: A d with A r
        const S step = steps.first * r[i];
        const S left = r[i] - steps.first * product;
        const S next = steps.rho * step + steps.second * left;
        other[i] = left;
        d[i] = next;
        x[i] = step + next;
    });
    for_compressed_rows(backend, a, d, [=](Index i, S product) { r[i] = other[i] - product; });
}

template <class S>
void end_chebyshev(OpenMP& backend, const CompressedSell<S>& a, const TwoSteps<S>& steps, S* r, S* d, S* x,
                   const S* e) {
    for_compressed_rows(backend, a, e, [=](Index i, S product) {
        const S left = r[i] - product;
        const S step = steps.first * left;
        r[i] = left;
        d[i] = step;
        x[i] += e[i] + step;
    });
    for_compressed_rows(backend, a, d,
                        [=](Index i, S product) { x[i] += steps.rho * d[i] + steps.second * (r[i] - product); });
}

template void begin_chebyshev(OpenMP&, const CompressedSell<float>&, const TwoSteps<float>&, float*, float*, float*,
                              float*);
template void begin_chebyshev(OpenMP&, const CompressedSell<double>&, const TwoSteps<double>&, double*, double*,
                              double*, double*);
template void end_chebyshev(OpenMP&, const CompressedSell<float>&, const TwoSteps<float>&, float*, float*, float*,
                            const float*);
template void end_chebyshev(OpenMP&, const CompressedSell<double>&, const TwoSteps<double>&, double*, double*, double*,
                            const double*);

}  // namespace stiefel::amg
