#include "stiefel/preconditioner/ssor/ssor.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/ssor/triangles.hpp"

#include <utility>

namespace stiefel::ssor {

namespace {

/// Throws OutOfMemory unless the host has room for the triangles of `a`.
template <class T>
void require_room(const HostCsr<T>& a) {
    constexpr Size of_row = 8 * sizeof(Index) + 2 * sizeof(Size) + 3 * sizeof(T);  // and colours and places beside it
    const Size needed = a.nnz() * static_cast<Size>(sizeof(T) + sizeof(Index)) + a.n_rows * of_row;
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory("the triangles of ssor", needed, available);
    }
}

}  // namespace

template <HostBackend B, class T>
triangular::FactorSolve<B, T> make_relaxation(B& backend, const HostCsr<T>& a, const Options& options) {
    const Stopwatch since;
    check(options);
    require(a.n_rows == a.n_cols, "ssor: A must be square");
    require_room(a);
    const Colouring colouring = greedy_colouring(a);
    PreconditionerDetails about;
    about.setup.push_back({"colour", since.seconds()});
    triangular::LevelSolve<T> solve(relaxation_triangles(a, colouring, options, backend.threads()), backend.threads());
    about.seconds = since.seconds();
    about.setup.push_back({"levels", about.seconds - about.setup.back().seconds});
    about.factorisation = {.ordering = "rows by colours", .level_sets = solve.n_levels(), .nonzeros = solve.nonzeros()};
    return {std::move(solve), std::move(about)};
}

template triangular::FactorSolve<Serial, double> make_relaxation(Serial&, const HostCsr<double>&, const Options&);
template triangular::FactorSolve<Serial, float> make_relaxation(Serial&, const HostCsr<float>&, const Options&);
template triangular::FactorSolve<OpenMP, double> make_relaxation(OpenMP&, const HostCsr<double>&, const Options&);
template triangular::FactorSolve<OpenMP, float> make_relaxation(OpenMP&, const HostCsr<float>&, const Options&);

}  // namespace stiefel::ssor
