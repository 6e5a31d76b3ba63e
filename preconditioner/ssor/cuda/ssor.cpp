#include "stiefel/preconditioner/ssor/ssor.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/cholesky/checked_entries.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"
#include "stiefel/preconditioner/ssor/colouring.hpp"
#include "stiefel/preconditioner/ssor/cuda/triangles.hpp"
#include "stiefel/preconditioner/triangular/cuda/triangle_terms.hpp"
#include "stiefel/preconditioner/triangular/triangle_shape.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace stiefel::ssor {

namespace {

using triangular::LevelOrder;

/// From the last to the first.
LevelOrder reversed(const LevelOrder& order) {
    const Size n = order.row.size(), n_levels = order.level_start.size() - 1;
    LevelOrder found{HostVector<Index>(n_levels + 1), HostVector<Index>(n)};
    for (Size l = 0; l <= n_levels; ++l) found.level_start[l] = static_cast<Index>(n) - order.level_start[n_levels - l];
    std::reverse_copy(order.row.begin(), order.row.end(), found.row.begin());
    return found;
}

/// Throws InvalidArgument as the set-up of a host does.
template <class T>
void refuse(const HostCsr<T>& a) {
    positive_diagonal(a);
    cholesky::require_finite(a);
}

/// None for an expansion: that is for long chains of levels.
template <class T>
const triangular::TriangularKernel<T>& kernel_for(const DeviceRelaxation<T>& found, Index n_colours) {
    return triangular::fastest_kernel<T>({.n_rows = Size{2} * found.lower.n_rows,
                                          .n_levels = Size{2} * n_colours,
                                          .nonzeros = found.lower.nnz() + found.upper.nnz(),
                                          .longest_row = found.longest_row,
                                          .growth = std::numeric_limits<double>::infinity(),
                                          .element_bytes = sizeof(T)},
                                         triangular::applications_of_solve);
}

}  // namespace

template <class T>
triangular::FactorSolve<Cuda, T> make_relaxation(Cuda& backend, const DeviceCsr<T>& a, const Options& options) {
    const Stopwatch all;
    Stopwatch step;
    check(options);
    require(a.n_rows == a.n_cols, "ssor: A must be square");
    PreconditionerDetails about;
    const DeviceColouring colouring = greedy_colouring(backend, a);
    const Index n_colours = colouring.n_colours;
    about.setup.push_back({"colour", step.restart()});
    DeviceRelaxation<T> found = relaxation_triangles(backend, a, colouring, options);
    if (found.is_bad) refuse(to_host(backend, a));
    HostVector<Index> colour(a.n_rows);
    download(backend, colouring.colour, colour);
    HostVector<T> inverse(a.n_rows);
    download(backend, found.inverse, inverse);
    RowsByColour rows = rows_by_colour(n_colours, colour);
    LevelOrder by_colour{std::move(rows.start), std::move(rows.row)};
    const triangular::TriangularKernel<T>& kernel = kernel_for(found, n_colours);
    const Size nonzeros = a.n_rows + found.lower.nnz();
    const auto terms = [](LevelOrder order, DeviceCsr<T> triangle) {
        triangular::TriangleTerms<T> one{.order = std::move(order)};
        one.late.push_back({std::move(triangle), T{1}});
        return one;
    };
    const auto upper = terms(reversed(by_colour), std::move(found.upper));
    const auto lower = terms(std::move(by_colour), std::move(found.lower));
    triangular::DeviceSolve<T> solve(backend, to_device(backend, lower, upper, inverse), nonzeros, n_colours, kernel);
    backend.synchronize();
    about.setup.push_back({"levels", step.restart()});
    about.seconds = all.seconds();
    about.factorisation = {.ordering = "rows by colours", .level_sets = n_colours, .nonzeros = nonzeros};
    return {std::move(solve), std::move(about)};
}

template triangular::FactorSolve<Cuda, double> make_relaxation(Cuda&, const DeviceCsr<double>&, const Options&);
template triangular::FactorSolve<Cuda, float> make_relaxation(Cuda&, const DeviceCsr<float>&, const Options&);

}  // namespace stiefel::ssor
