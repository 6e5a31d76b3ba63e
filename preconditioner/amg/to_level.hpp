#pragma once

#include "stiefel/preconditioner/amg/cycle.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/amg/smoothers.hpp"

#include <utility>

namespace stiefel::amg {

/// is_twice: visited by the level above. made: the level's matrix, scaled, where there is one.
template <class B, class S>
CycleLevel<B, S> to_cycle_level(B& backend, const Level& level, const SmootherEntry<B, S>& smoother, bool is_twice,
                                MadeMatrix<B, S> made = {}) {
    auto&& host = host_of(backend);
    CycleLevel<B, S> kept;
    kept.n_rows = level.a.n_rows;
    if (level.inverse != nullptr) {
        const HostVector<double> root = roots(host, level.diagonal, false);
        kept.inverse = to_cycle_matrix<B, S>(backend, {*level.inverse, root, root});
        return kept;
    }
    const HostVector<double>& inverse_root = level.inverse_roots;
    kept.smoother =
        smoother.make(backend, {level.a, inverse_root, inverse_root}, level.spectral_radius, std::move(made));
    if (level.transfer) {
        if (is_twice) kept.second = {to_cycle_matrix<B, double>(backend, {level.a, inverse_root, inverse_root})};
        const HostVector<double> root = roots(host, level.diagonal, false);
        const HostVector<double>& coarse_inverse_root = *level.coarse_inverse_roots;
        kept.restrict_ = to_cycle_matrix<B, S>(backend, {level.transfer->restriction, coarse_inverse_root, root});
        kept.prolong = to_cycle_matrix<B, S>(backend, {level.transfer->prolongation, root, coarse_inverse_root});
    }
    return kept;
}

/// Bytes and flops of a cycle for a panel of so many columns, with what enters and leaves it.
template <class T, class B, class S>
Work cycle_work(const std::vector<CycleLevel<B, S>>& levels, Index columns) {
    Work sum;
    const auto add = [&](const Work& work, double times) {
        sum.bytes += times * work.bytes;
        sum.flops += times * work.flops;
    };
    double times = 1;
    for (const CycleLevel<B, S>& level : levels) {
        if (level.inverse) {
            add(spmm_work(*level.inverse, columns), times);
            continue;
        }
        if (level.second) {
            const double n = static_cast<double>(level.n_rows) * columns;
            add({n * (4 * sizeof(double) + 5 * sizeof(S)), 4 * n}, times);
            add(spmm_work(level.second->a, columns), times);
            times *= 2;
        }
        if (level.below) {
            add(level.below->work(columns), times);
            continue;
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
