#include "stiefel/preconditioner/cholesky/incomplete_cholesky.hpp"

#include "stiefel/core/timing.hpp"

#include <algorithm>

namespace stiefel {

namespace {

/// What factor and levels need, all columns as full as they may be.
template <class T>
void require_room(const HostCsr<T>& a, const cholesky::IncompleteOptions& options) {
    constexpr double copies = 3;  // the factor as it is computed, and two triangles in levels
    const double entries =
        (static_cast<double>(a.nnz()) + a.n_rows) / 2 * (options.threshold > 0 ? std::max(1.0, options.fill) : 1);
    const auto needed = static_cast<Size>(copies * entries * (sizeof(T) + sizeof(Index)));
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory("the factor of ic", needed, available);
    }
}

template <class T>
cholesky::LevelSolve<T> made(const HostCsr<T>& a, const cholesky::IncompleteOptions& options, int threads,
                             PreconditionerDetails& about) {
    require_room(a, options);
    const Stopwatch all;
    Stopwatch step;
    const cholesky::IncompleteFactor<T> factor = cholesky::incomplete_factor(a, options);
    about.setup.push_back({"factor", step.restart()});
    cholesky::LevelSolve<T> solve(factor, threads);
    about.setup.push_back({"levels", step.restart()});
    about.seconds = all.seconds();
    about.bytes = solve.bytes();
    about.factorisation = {.ordering = "rows as they come",
                           .level_sets = solve.n_levels(),
                           .nonzeros = factor.nonzeros(),
                           .shift = factor.shift};
    return solve;
}

}  // namespace

template <HostBackend B, class T>
IncompleteCholesky<B, T>::IncompleteCholesky(B& backend, const HostCsr<T>& a,
                                             const cholesky::IncompleteOptions& options)
    : solve_(made(a, options, backend.threads(), about_)) {}

template class IncompleteCholesky<Serial, double>;
template class IncompleteCholesky<Serial, float>;
template class IncompleteCholesky<OpenMP, double>;
template class IncompleteCholesky<OpenMP, float>;

}  // namespace stiefel
