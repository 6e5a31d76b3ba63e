#include "stiefel/preconditioner/cholesky/incomplete_setup.hpp"

namespace stiefel::cholesky {

template <class T>
triangular::FactorSolve<Cuda, T> make_incomplete(Cuda& backend, const DeviceCsr<T>& a,
                                                 const IncompleteOptions& options) {
    const Stopwatch all;
    return factored<Cuda>(to_host(backend, a), options, all, [&](const auto& l) {
        triangular::DeviceSolve<T> solve(backend, triangular::in_levels(l));
        backend.synchronize();
        return solve;
    });
}

template triangular::FactorSolve<Cuda, double> make_incomplete(Cuda&, const DeviceCsr<double>&,
                                                               const IncompleteOptions&);
template triangular::FactorSolve<Cuda, float> make_incomplete(Cuda&, const DeviceCsr<float>&, const IncompleteOptions&);

}  // namespace stiefel::cholesky
