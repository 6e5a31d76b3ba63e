#pragma once

#include "stiefel/preconditioner/amg/cycle.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/amg/smoothers.hpp"

#include <cmath>
#include <utility>

namespace stiefel::amg {

/// d^power for power 1/2 or -1/2.
inline HostVector<double> roots(OpenMP& backend, const HostVector<double>& d, bool inverse) {
    HostVector<double> root(d.size());
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (d.size() > 20000)
    for (Size i = 0; i < d.size(); ++i) root[i] = inverse ? 1 / std::sqrt(d[i]) : std::sqrt(d[i]);
    return root;
}

template <class B, class S>
CycleLevel<B, S> to_cycle_level(B& backend, const Level& level, const SmootherEntry<B, S>& smoother) {
    auto&& host = host_of(backend);
    const HostVector<double> root = roots(host, level.diagonal, false);
    CycleLevel<B, S> kept;
    kept.n_rows = level.a.n_rows;
    if (level.inverse != nullptr) {
        kept.inverse = to_cycle_matrix<B, S>(backend, {*level.inverse, root, root});
        return kept;
    }
    const HostVector<double> inverse_root = roots(host, level.diagonal, true);
    kept.smoother = smoother.make(backend, {level.a, inverse_root, inverse_root}, level.spectral_radius);
    if (level.prolongation != nullptr) {
        const HostVector<double> coarse_inverse_root = roots(host, *level.coarse_diagonal, true);
        kept.restrict_ = to_cycle_matrix<B, S>(backend, {*level.restriction, coarse_inverse_root, root});
        kept.prolong = to_cycle_matrix<B, S>(backend, {*level.prolongation, root, coarse_inverse_root});
    }
    return kept;
}

/// Bytes and flops of a cycle for a panel of so many columns, with what enters and leaves it.
template <class T, class B, class S>
Work cycle_work(const std::vector<CycleLevel<B, S>>& levels, const CycleKind& kind, Index columns) {
    Work sum;
    const auto add = [&](const Work& work, double times) {
        sum.bytes += times * work.bytes;
        sum.flops += times * work.flops;
    };
    const auto add_streams = [&](const CycleLevel<B, S>& level, double streams, double times) {
        const double n = static_cast<double>(level.n_rows) * columns;
        add({streams * n * sizeof(S), streams * n}, times);
    };
    double times = 1;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const CycleLevel<B, S>& level = levels[l];
        if (level.inverse) {
            add(spmm_work(*level.inverse, columns), times);
            continue;
        }
        if (l > 0 && level.prolong) {
            const double again = kind.visits - 1;  // y and r for each further visit, and its product
            add_streams(level, 3 + 6 * again, again > 0 ? times : 0);
            add(level.smoother->product_work(columns), times * again);
            times *= kind.visits;
        }
        add(level.smoother->begin_work(columns, level.prolong.has_value()), times);
        if (!level.prolong) continue;
        add(level.smoother->end_work(columns), times);
        add(spmm_work(*level.prolong, columns), times);
        add(spmm_work(*level.restrict_, columns), times);
    }
    const double n = static_cast<double>(levels.front().n_rows) * columns;
    add({n * (sizeof(T) + sizeof(S)), n * 2}, 2);
    return sum;
}

}  // namespace stiefel::amg
