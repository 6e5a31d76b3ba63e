#include "stiefel/preconditioner/amg/cuda/chebyshev_steps.hpp"

#include "stiefel/preconditioner/amg/cuda/chebyshev_products.hpp"

namespace stiefel::amg {

namespace {

/// own(), a step by the product of own columns with v, and what those of others add to what it leaves.
template <class S, class Own>
void with_others(Cuda& backend, const SpmvOperator<Cuda, S>& a, const BoundaryRows<Cuda, S>* beyond, const S* v,
                 const cuda::Corrected<S>& corrected, Own&& own) {
    if (beyond != nullptr) beyond->begin(backend, MatrixOf<Cuda, const S>{v, a.n_cols(), 1, 1});
    own();
    if (beyond != nullptr) beyond->correct(backend, corrected);
}

}  // namespace

template <class S>
void begin_chebyshev(Cuda& backend, const RowsOfLevel<S>& a, const BoundaryRows<Cuda, S>* beyond,
                     const TwoSteps<S>& steps, S* r, S* d, S* x, S* other) {
    const S of_rest = -steps.first, of_second = steps.second * of_rest;
    with_others(backend, a.a, beyond, r, {{other, d, x}, {of_rest, of_second, of_second}, 3},
                [&] { begin_from_right_hand_side<S>(backend, a, steps, r, other, d, x); });
    with_others(backend, a.a, beyond, d, {{r}, {S{-1}}, 1}, [&] { subtract_product<S>(backend, a, other, d, r); });
}

template <class S>
void end_chebyshev(Cuda& backend, const RowsOfLevel<S>& a, const BoundaryRows<Cuda, S>* beyond,
                   const TwoSteps<S>& steps, S* r, S* x, const S* e) {
    with_others(backend, a.a, beyond, e, {{r}, {S{-1}}, 1}, [&] { subtract_product<S>(backend, a, r, e, r); });
    with_others(backend, a.a, beyond, r, {{x}, {-steps.second * steps.first}, 1},
                [&] { end_from_correction<S>(backend, a, steps, r, e, x); });
}

template <class S, class T>
void end_chebyshev(Cuda& backend, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, S* r, const S* x, const S* e,
                   const WayOut<T>& out) {
    subtract_product<S>(backend, a, r, e, r);
    leave_from_correction<S, T>(backend, a, steps, r, x, e, out);
}

template void begin_chebyshev(Cuda&, const RowsOfLevel<float>&, const BoundaryRows<Cuda, float>*,
                              const TwoSteps<float>&, float*, float*, float*, float*);
template void begin_chebyshev(Cuda&, const RowsOfLevel<double>&, const BoundaryRows<Cuda, double>*,
                              const TwoSteps<double>&, double*, double*, double*, double*);
template void end_chebyshev(Cuda&, const RowsOfLevel<float>&, const BoundaryRows<Cuda, float>*, const TwoSteps<float>&,
                            float*, float*, const float*);
template void end_chebyshev(Cuda&, const RowsOfLevel<double>&, const BoundaryRows<Cuda, double>*,
                            const TwoSteps<double>&, double*, double*, const double*);

template void end_chebyshev(Cuda&, const RowsOfLevel<float>&, const TwoSteps<float>&, float*, const float*,
                            const float*, const WayOut<float>&);
template void end_chebyshev(Cuda&, const RowsOfLevel<float>&, const TwoSteps<float>&, float*, const float*,
                            const float*, const WayOut<double>&);
template void end_chebyshev(Cuda&, const RowsOfLevel<double>&, const TwoSteps<double>&, double*, const double*,
                            const double*, const WayOut<float>&);
template void end_chebyshev(Cuda&, const RowsOfLevel<double>&, const TwoSteps<double>&, double*, const double*,
                            const double*, const WayOut<double>&);

}  // namespace stiefel::amg
