#include "stiefel/preconditioner/amg/hierarchy.hpp"

#include "stiefel/preconditioner/amg/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/cycles.hpp"
#include "stiefel/preconditioner/amg/nodes.hpp"
#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"
#include "stiefel/preconditioner/amg/spectral_radius.hpp"
#include "stiefel/preconditioner/diagonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace stiefel::amg {

namespace {

/// Of ascending columns. Few are counted: nothing would foretell the branches of a search.
Size first_not_before(const Index* cols, Size begin, Size end, Index column) {
    constexpr Size few = 32;
    if (end - begin > few) return std::lower_bound(cols + begin, cols + end, column) - cols;
    Size before = begin;
    for (Size k = begin; k < end; ++k) before += cols[k] < column ? 1 : 0;
    return before;
}

}  // namespace

HostVector<double> diagonal_of(OpenMP& backend, const HostCsr<double>& a) {
    HostVector<double> diagonal(a.n_rows);  // its pages are taken by all threads
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            const Size end = row_ptr[i + 1];
            const Size found = first_not_before(a.col_idx.data(), row_ptr[i], end, i);
            diagonal[i] = found != end && a.col_idx[found] == i ? a.values[found] : 0;
        }
    });
    return diagonal;
}

void check_positive(OpenMP& backend, const HostVector<double>& diagonal, Size first) {
    const auto is_positive = [](double d) { return d > 0 && d <= std::numeric_limits<double>::max(); };
    bool are_positive = true;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(&& : are_positive) if (diagonal.size() > 20000)
    for (Size i = 0; i < diagonal.size(); ++i) are_positive = are_positive && is_positive(diagonal[i]);
    for (Size i = 0; !are_positive && i < diagonal.size(); ++i) {
        if (!is_positive(diagonal[i])) refuse_diagonal(first + i, diagonal[i]);
    }
}

Index said_block_size(Index n, const SetupOptions& options) {
    const Index nodes = options.coordinates.nodes;
    if (options.block_size > 0) return options.block_size;
    return nodes > 0 && n % nodes == 0 ? n / nodes : 0;
}

void check_blocks(Index n, Index block, const SetupOptions& options, Size first_node) {
    if (n % block != 0) {
        throw InvalidArgument(
            fmt::format("amg: blocks of {} unknowns do not divide the {} rows of the matrix", block, n));
    }
    if (options.coordinates.dimensions > 0) check_coordinates(options.coordinates, n, block, first_node);
}

void check_coarsening(Index block, const SetupOptions& options) {
    const auto& kind = find_listed(coarsenings, "coarsening", options.coarsening);
    if (kind.name != coarsening_names::pairs || (block == 1 && options.coordinates.dimensions == 0)) return;
    throw InvalidArgument(
        fmt::format("amg: the coarsening 'pairs' is for one unknown a node, and here a node has {}", block));
}

namespace {

Index block_size(OpenMP& backend, const HostCsr<double>& a, const SetupOptions& options) {
    const Index said = said_block_size(a.n_rows, options);
    const Index block = said > 0 ? said : find_components(backend, a);
    check_blocks(a.n_rows, block, options);
    return block;
}

std::unique_ptr<Coarsening> make_coarsening(OpenMP& backend, const HostCsr<double>& a, const SetupOptions& options) {
    if (options.near_null_space != nullptr) {
        require(options.near_null_space->values.size() == Size{a.n_rows} * options.near_null_space->modes,
                "amg: the near null space must have a row for each of the matrix");
        return block_coarsening(copy_of(*options.near_null_space), options.for_updates);
    }
    const Index block = block_size(backend, a, options);
    check_coarsening(block, options);
    if (options.coordinates.dimensions > 0) {
        return block_coarsening(rigid_body_modes(options.coordinates, block), options.for_updates);
    }
    return block == 1 ? scalar_coarsening(options.coarsening, options.for_updates)
                      : block_coarsening(constants(a.n_rows, block), options.for_updates);
}

}  // namespace

HostVector<double> roots(OpenMP& backend, const HostVector<double>& diagonal, bool inverse) {
    HostVector<double> root(diagonal.size());
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (root.size() > 20000)
    for (Size i = 0; i < root.size(); ++i) root[i] = inverse ? 1 / std::sqrt(diagonal[i]) : std::sqrt(diagonal[i]);
    return root;
}

double diagonal_spread(OpenMP& backend, const HostCsr<double>& a) {
    if (a.n_rows == 0) return 1;
    const HostVector<double> diagonal = diagonal_of(backend, a);
    check_positive(backend, diagonal);
    double least = 1, most = 1;
#pragma omp parallel for simd num_threads(backend.threads()) reduction(min      \
                                                                       : least) \
    reduction(max                                                               \
              : most) if (parallel                                              \
                          : a.n_rows > 20000)
    for (Size i = 0; i < diagonal.size(); ++i) {
        least = std::min(least, diagonal[i]);
        most = std::max(most, diagonal[i]);
    }
    return most / least;
}

SetupSeconds build_hierarchy(OpenMP& backend, const HostCsr<double>& finest, const SetupOptions& options,
                             std::unique_ptr<Coarsening>& coarsening, const std::function<void(const Level&)>& keep,
                             const RitzValueOf& ritz_value) {
    require(finest.n_rows == finest.n_cols, "amg: A must be square");
    SetupSeconds seconds;
    Stopwatch watch;
    HostVector<double> diagonal = diagonal_of(backend, finest);
    check_positive(backend, diagonal);
    if (coarsening) {
        coarsening->begin_again();
    } else {
        coarsening = make_coarsening(backend, finest, options);
    }
    const Index block = coarsening->block_size();
    seconds.aggregate += watch.restart();

    HostVector<double> inverse_roots;  // the finest level's not before they are needed: coarsening takes most memory
    const auto find_roots = [&] {
        if (inverse_roots.empty()) inverse_roots = roots(backend, diagonal, true);
    };
    HostCsr<double> owned;
    const HostCsr<double>* a = &finest;
    const auto keep_timed = [&](const Level& level) {
        const Stopwatch converting;
        keep(level);
        seconds.convert += converting.seconds();
    };
    for (int l = 1;; ++l) {
        watch.restart();
        const double radius = spectral_radius(backend, *a, diagonal, [&] {
            if (!ritz_value) return largest_ritz_value(backend, *a, diagonal);
            find_roots();
            return ritz_value({*a, inverse_roots, inverse_roots});
        });
        seconds.smoother += watch.seconds();
        std::optional<CoarserLevel> next;
        if (a->n_rows > options.coarsest_rows && l < options.most_levels) {
            next = coarsening->coarsen(backend, *a, diagonal, radius, seconds);
        }
        watch.restart();
        find_roots();
        seconds.convert += watch.restart();
        if (!next) {
            const bool small = a->n_rows <= most_inverted_rows;
            const HostCsr<double> inverse = small ? coarse_inverse(*a) : HostCsr<double>{};
            seconds.coarsest += watch.seconds();
            keep_timed({*a, diagonal, inverse_roots, radius, nullptr, nullptr, small ? &inverse : nullptr, block});
            return seconds;
        }
        HostVector<double> coarse_inverse_roots = roots(backend, next->diagonal, true);
        seconds.convert += watch.seconds();
        keep_timed({*a, diagonal, inverse_roots, radius, next->transfer, &coarse_inverse_roots, nullptr, block});
        owned = std::move(next->a);
        a = &owned;
        diagonal = std::move(next->diagonal);
        inverse_roots = std::move(coarse_inverse_roots);
    }
}

}  // namespace stiefel::amg
