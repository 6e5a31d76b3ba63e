#include "stiefel/preconditioner/amg/hierarchy.hpp"

#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/nodes.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/preconditioner/amg/spectral_radius.hpp"
#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace stiefel::amg {

namespace {

/// A coarse matrix that is too large to be inverted has to do with smoothing.
constexpr Index most_inverted_rows = 1500;
constexpr double least_shrinking = 0.8;

HostVector<double> positive_diagonal(OpenMP& backend, const HostCsr<double>& a) {
    HostVector<double> diagonal(a.n_rows, 0.0);
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index* const end = a.col_idx.data() + row_ptr[i + 1];
            const Index* const found = std::lower_bound(a.col_idx.data() + row_ptr[i], end, i);
            if (found != end && *found == i) diagonal[i] = a.values[found - a.col_idx.data()];
        }
    });
    for (Index i = 0; i < a.n_rows; ++i) {
        if (!(diagonal[i] > 0) || !std::isfinite(diagonal[i])) refuse_diagonal(i, diagonal[i]);
    }
    return diagonal;
}

/// P and P' A P of one level; none where aggregation hardly shrinks it.
class Coarsening {
public:
    Coarsening(OpenMP& backend, Index components, SetupSeconds& seconds)
        : backend_(backend), components_(components), seconds_(seconds) {}

    std::optional<HostCsr<double>> prolongation(const HostCsr<double>& a) {
        Stopwatch watch;
        const bool scalar = components_ == 1;
        const HostCsr<double> blocks = scalar ? HostCsr<double>{} : node_matrix(backend_, a, components_);
        const HostCsr<double>& nodes = scalar ? a : blocks;
        const Strength is_strong(backend_, nodes);
        const Aggregates aggregates = greedy_aggregates(nodes, is_strong);
        seconds_.aggregate += watch.restart();
        if (aggregates.count > least_shrinking * nodes.n_rows) return {};
        auto p = smoothed_prolongation(backend_, a, nodes, is_strong, aggregates, components_);
        seconds_.prolongate += watch.restart();
        return p;
    }

    HostCsr<double> coarse_matrix(const HostCsr<double>& a, const HostCsr<double>& p) {
        const Stopwatch watch;
        const HostCsr<double> r = transpose(backend_, p);
        auto coarse = spgemm(backend_, r, spgemm(backend_, a, p));
        seconds_.product += watch.seconds();
        return coarse;
    }

private:
    OpenMP& backend_;
    Index components_;
    SetupSeconds& seconds_;
};

}  // namespace

double diagonal_spread(OpenMP& backend, const HostCsr<double>& a) {
    if (a.n_rows == 0) return 1;
    const HostVector<double> diagonal = positive_diagonal(backend, a);
    const auto [least, most] = std::minmax_element(diagonal.begin(), diagonal.end());
    return *most / *least;
}

SetupSeconds build_hierarchy(OpenMP& backend, const HostCsr<double>& finest, const SetupOptions& options,
                             const std::function<void(const Level&)>& keep) {
    require(finest.n_rows == finest.n_cols, "amg: A must be square");
    SetupSeconds seconds;
    Stopwatch watch;
    HostVector<double> diagonal = positive_diagonal(backend, finest);
    const Index components = options.components > 0 ? options.components : find_components(backend, finest);
    require(finest.n_rows % components == 0, "amg: the number of rows must be a multiple of that of components");
    Coarsening coarsening(backend, components, seconds);
    seconds.aggregate += watch.restart();

    HostCsr<double> owned;
    const HostCsr<double>* a = &finest;
    const auto keep_timed = [&](const Level& level) {
        const Stopwatch converting;
        keep(level);
        seconds.convert += converting.seconds();
    };
    for (int l = 1;; ++l) {
        watch.restart();
        const double radius = spectral_radius(backend, *a, diagonal);
        seconds.smoother += watch.seconds();
        std::optional<HostCsr<double>> p;
        if (a->n_rows > options.coarsest_rows && l < options.most_levels) p = coarsening.prolongation(*a);
        if (!p) {
            watch.restart();
            const bool small = a->n_rows <= most_inverted_rows;
            const HostCsr<double> inverse = small ? coarse_inverse(*a) : HostCsr<double>{};
            seconds.coarsest += watch.seconds();
            keep_timed({*a, diagonal, radius, nullptr, nullptr, small ? &inverse : nullptr});
            return seconds;
        }
        HostCsr<double> coarse = coarsening.coarse_matrix(*a, *p);
        HostVector<double> coarse_diagonal = positive_diagonal(backend, coarse);
        keep_timed({*a, diagonal, radius, &*p, &coarse_diagonal, nullptr});
        owned = std::move(coarse);
        a = &owned;
        diagonal = std::move(coarse_diagonal);
    }
}

}  // namespace stiefel::amg
