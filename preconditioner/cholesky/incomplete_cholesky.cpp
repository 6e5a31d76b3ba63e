#include "stiefel/preconditioner/cholesky/incomplete_setup.hpp"

#include <algorithm>

namespace stiefel::cholesky {

template <class T>
void require_room(const HostCsr<T>& a, const IncompleteOptions& options) {
    constexpr double copies = 3;  // the factor as it is computed, and two triangles in levels
    const double entries =
        (static_cast<double>(a.nnz()) + a.n_rows) / 2 * (options.threshold > 0 ? std::max(1.0, options.fill) : 1);
    const auto needed = static_cast<Size>(copies * entries * (sizeof(T) + sizeof(Index)));
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory("the factor of ic", needed, available);
    }
}

template void require_room(const HostCsr<double>&, const IncompleteOptions&);
template void require_room(const HostCsr<float>&, const IncompleteOptions&);

template <HostBackend B, class T>
triangular::FactorSolve<B, T> make_incomplete(B& backend, const HostCsr<T>& a, const IncompleteOptions& options) {
    return factored<B>(a, options, Stopwatch(), [&](const auto& l) {
        return triangular::LevelSolve<T>(triangular::in_levels(l, backend.threads()), backend.threads());
    });
}

template triangular::FactorSolve<Serial, double> make_incomplete(Serial&, const HostCsr<double>&,
                                                                 const IncompleteOptions&);
template triangular::FactorSolve<Serial, float> make_incomplete(Serial&, const HostCsr<float>&,
                                                                const IncompleteOptions&);
template triangular::FactorSolve<OpenMP, double> make_incomplete(OpenMP&, const HostCsr<double>&,
                                                                 const IncompleteOptions&);
template triangular::FactorSolve<OpenMP, float> make_incomplete(OpenMP&, const HostCsr<float>&,
                                                                const IncompleteOptions&);

}  // namespace stiefel::cholesky
