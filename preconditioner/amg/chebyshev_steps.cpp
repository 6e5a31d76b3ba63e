#include "stiefel/preconditioner/amg/chebyshev_steps.hpp"

#include "stiefel/spmv/openmp/compressed/rows.hpp"

#include <type_traits>

namespace stiefel::amg {

namespace {

/// f(rows_with), rows_with(v, finish): finish(i, (A v)_i) for every row i.
template <class S, class F>
void with_rows(OpenMP& backend, const CompressedSell<S>& a, const ShortValues<OpenMP>& in_short, const F& f) {
    if constexpr (std::is_same_v<S, float>) {
        if (!in_short.empty()) {
            return f([&](const float* v, const auto& finish) {
                for_compressed_rows(backend, a, in_short.units.data(), v,
                                    [=](Index i, float units) { finish(i, short_unit * units); });
            });
        }
    }
    f([&](const S* v, const auto& finish) { for_compressed_rows(backend, a, v, finish); });
}

}  // namespace

template <class S>
void begin_chebyshev(OpenMP& backend, const CompressedSell<S>& a, const ShortValues<OpenMP>& in_short,
                     const TwoSteps<S>& steps, S* r, S* d, S* x, S* other) {
    with_rows(backend, a, in_short, [&](const auto& rows_with) {
        rows_with(r, [=](Index i, S product) {  // the first step is a multiple of r: A d with A r
            const S step = steps.first * r[i];
            const S left = r[i] - steps.first * product;
            const S next = steps.rho * step + steps.second * left;
            other[i] = left;
            d[i] = next;
            x[i] = step + next;
        });
        rows_with(d, [=](Index i, S product) { r[i] = other[i] - product; });
    });
}

template <class S>
void end_chebyshev(OpenMP& backend, const CompressedSell<S>& a, const ShortValues<OpenMP>& in_short,
                   const TwoSteps<S>& steps, S* r, S* d, S* x, const S* e) {
    with_rows(backend, a, in_short, [&](const auto& rows_with) {
        rows_with(e, [=](Index i, S product) {
            const S left = r[i] - product;
            const S step = steps.first * left;
            r[i] = left;
            d[i] = step;
            x[i] += e[i] + step;
        });
        rows_with(d, [=](Index i, S product) { x[i] += steps.rho * d[i] + steps.second * (r[i] - product); });
    });
}

template void begin_chebyshev(OpenMP&, const CompressedSell<float>&, const ShortValues<OpenMP>&, const TwoSteps<float>&,
                              float*, float*, float*, float*);
template void begin_chebyshev(OpenMP&, const CompressedSell<double>&, const ShortValues<OpenMP>&,
                              const TwoSteps<double>&, double*, double*, double*, double*);
template void end_chebyshev(OpenMP&, const CompressedSell<float>&, const ShortValues<OpenMP>&, const TwoSteps<float>&,
                            float*, float*, float*, const float*);
template void end_chebyshev(OpenMP&, const CompressedSell<double>&, const ShortValues<OpenMP>&, const TwoSteps<double>&,
                            double*, double*, double*, const double*);

}  // namespace stiefel::amg
