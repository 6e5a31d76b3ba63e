#include "stiefel/preconditioner/ssor/setup.hpp"

namespace stiefel::ssor {

template <class T>
triangular::FactorSolve<Cuda, T> make_relaxation(Cuda& backend, const DeviceCsr<T>& a, const Options& options) {
    const Stopwatch all;
    return relaxed<Cuda>(to_host(backend, a), options, all, triangular::of_a_device,
                         [&](const triangular::LevelTriangles<T>& triangles) {
                             triangular::DeviceSolve<T> solve(backend, triangles);
                             backend.synchronize();
                             return solve;
                         });
}

template triangular::FactorSolve<Cuda, double> make_relaxation(Cuda&, const DeviceCsr<double>&, const Options&);
template triangular::FactorSolve<Cuda, float> make_relaxation(Cuda&, const DeviceCsr<float>&, const Options&);

}  // namespace stiefel::ssor
