#include "stiefel/core/memory.hpp"
#include "stiefel/preconditioner/ssor/setup.hpp"

namespace stiefel::ssor {

template <class T>
void require_room(const HostCsr<T>& a) {
    constexpr Size of_row = 8 * sizeof(Index) + 2 * sizeof(Size) + 3 * sizeof(T);  // and colours and places beside it
    const Size needed = a.nnz() * static_cast<Size>(sizeof(T) + sizeof(Index)) + a.n_rows * of_row;
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory("the triangles of ssor", needed, available);
    }
}

template void require_room(const HostCsr<double>&);
template void require_room(const HostCsr<float>&);

template <HostBackend B, class T>
triangular::FactorSolve<B, T> make_relaxation(B& backend, const HostCsr<T>& a, const Options& options) {
    return relaxed<B>(a, options, Stopwatch(), backend.threads(), [&](triangular::LevelTriangles<T> triangles) {
        return triangular::LevelSolve<T>(std::move(triangles), backend.threads());
    });
}

template triangular::FactorSolve<Serial, double> make_relaxation(Serial&, const HostCsr<double>&, const Options&);
template triangular::FactorSolve<Serial, float> make_relaxation(Serial&, const HostCsr<float>&, const Options&);
template triangular::FactorSolve<OpenMP, double> make_relaxation(OpenMP&, const HostCsr<double>&, const Options&);
template triangular::FactorSolve<OpenMP, float> make_relaxation(OpenMP&, const HostCsr<float>&, const Options&);

}  // namespace stiefel::ssor
