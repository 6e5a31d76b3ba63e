#pragma once

#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_gather.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_hierarchy.hpp"
#include "stiefel/world/outside_world.hpp"

#include <utility>

namespace stiefel::amg {

/// diag(left) A diag(right), rounded to S, as a cycle on ranks multiplies with it. right: of the columns that this rank
/// holds. All ranks call it at once.
template <class B, class S>
CycleMatrix<B, S> to_rank_matrix(B& backend, RanksOf<B>& ranks, const RowBlocks& columns, const SplitRows<double>& a,
                                 const HostVector<double>& left, const HostVector<double>& right) {
    const HostVector<double> right_of_others = brought_from(ranks, columns, a.ghosts, right);
    HostVector<double> left_of_boundary(a.boundary.size());
    for (Size b = 0; b < left_of_boundary.size(); ++b) left_of_boundary[b] = left[a.boundary[b]];
    OpenMP host(1);
    SplitRows<S> split{.own = {},
                       .beyond = scaled_copy<S>(host, ScaledCsr<double>{a.beyond, left_of_boundary, right_of_others}),
                       .boundary = a.boundary.clone(),
                       .ghosts = a.ghosts};
    const ScaledCsr<double> own{a.own, left, right};
    CycleMatrix<B, S> alone = to_cycle_matrix<B, S>(backend, own);
    return {std::move(alone), BoundaryRows<B, S>(backend, ranks, columns, std::move(split))};
}

/// A level that every rank takes whole, and all below it: what ranks have of it is gathered, each does the same cycle,
/// and takes its own rows of what comes out. Vectors come and go scaled, as between levels.
template <class B, class S>
class GatheredLevels final : public LevelsBelow<B, S> {
public:
    GatheredLevels(B& backend, RanksOf<B>& ranks, const RankLevel& level, const HostVector<double>& root,
                   const SetupOptions& options)
        : n_(level.a.own.n_rows),
          first_(level.rows.first(ranks.rank())),
          n_all_(static_cast<Index>(level.rows.n_rows())),
          gather_(gather(backend, ranks, level.rows, root)),
          root_(rounded(backend, root)),
          m_(made(backend, ranks, level, options)) {}

    void run(B& backend, const VectorOf<B, S>& r, VectorOf<B, S>& x, Index columns) override {
        multiply(backend, gather_, columns, r, r_, S{1}, S{0});
        const MatrixOf<B, const S> from{r_.data(), n_all_, columns, columns};
        const OutsideWorld alone(backend);
        precondition(backend, m_, from, {x_.data(), n_all_, columns, columns});
        for_rows(backend, n_, 3 * Size{n_} * columns * static_cast<Size>(sizeof(S)),
                 LeaveRows<S, S>{root_.data(), x_.data() + first_ * columns, x.data(), columns, columns});
    }
    void reserve(B& backend, Index columns) override {
        if (r_.size() >= Size{n_all_} * columns) return;
        for (auto* panel : {&r_, &x_}) *panel = make_vector<S>(backend, Size{n_all_} * columns);
        m_.reserve(backend, columns);
    }
    Size bytes() const override { return gather_.bytes() + r_.bytes() + x_.bytes() + root_.bytes() + m_.bytes(); }
    Work work(Index columns) const override {
        const Work cycle = m_.work(columns);
        return {cycle.bytes + 6.0 * n_all_ * columns * sizeof(S), cycle.flops};
    }
    PreconditionerDetails details() const override { return m_.details(); }
    TrialSums try_out(B&) override { return {m_.trial(), 1}; }

private:
    static CycleMatrix<B, S> gather(B& backend, RanksOf<B>& ranks, const RowBlocks& rows,
                                    const HostVector<double>& root) {
        const HostVector<double> ones(root.size(), 1.0);
        return to_rank_matrix<B, S>(backend, ranks, rows, gathering(rows, ranks.rank()), gathered_values(ranks, root),
                                    ones);
    }
    static VectorOf<B, S> rounded(B& backend, const HostVector<double>& values) {
        HostVector<S> here(values.size());
        for (Size i = 0; i < values.size(); ++i) here[i] = static_cast<S>(values[i]);
        auto there = make_vector<S>(backend, here.size());
        upload(backend, here, there);
        if constexpr (!HostBackend<B>) backend.synchronize();
        return there;
    }
    static Amg<B, S, S> made(B& backend, RanksOf<B>& ranks, const RankLevel& level, SetupOptions options) {
        const HostCsr<double> a = gathered_matrix(ranks, level.rows, level.a);
        NearNullSpace whole;
        if (const NearNullSpace* const here = level.near_null_space) {
            whole = {here->block, here->modes, gathered_values(ranks, here->values)};
            options.near_null_space = &whole;
            options.coordinates = {};
        }
        const OutsideWorld alone(backend);
        return Amg<B, S, S>(backend, a, options);
    }

    Index n_;
    Size first_;
    Index n_all_;
    CycleMatrix<B, S> gather_;
    VectorOf<B, S> root_;
    Amg<B, S, S> m_;
    VectorOf<B, S> r_{}, x_{};
};

/// A level as the cycle works with it; all ranks call it at once. The last is gathered, with these options. made: the
/// level's matrix, scaled, where there is one.
template <class B, class S>
CycleLevel<B, S> to_rank_level(B& backend, RanksOf<B>& ranks, const OpenMP& cores, const RankLevel& level,
                               bool is_twice, const SetupOptions& options, MadeMatrix<B, S> made = {}) {
    OpenMP host(cores.threads());
    const HostVector<double> root = roots(host, level.diagonal, false),
                             inverse_root = roots(host, level.diagonal, true);
    CycleLevel<B, S> kept;
    kept.n_rows = level.a.own.n_rows;
    if (is_twice) {
        kept.second = {to_rank_matrix<B, double>(backend, ranks, level.rows, level.a, inverse_root, inverse_root)};
    }
    if (level.next == nullptr) {
        kept.below = std::make_unique<GatheredLevels<B, S>>(backend, ranks, level, root, options);
        return kept;
    }
    using Smoother = ChebyshevSmoother<B, S>;
    CycleMatrix<B, S> a =
        made ? std::move(*made) : to_rank_matrix<B, S>(backend, ranks, level.rows, level.a, inverse_root, inverse_root);
    const bool may_fuse = Smoother::all_fuse(ranks, a);
    kept.smoother = std::make_unique<Smoother>(std::move(a), level.spectral_radius, SliceDiagonals<B>(), may_fuse);
    const RankProducts& products = level.next->products;
    const HostVector<double> coarse = roots(host, *level.coarse_diagonal, true);
    kept.restrict_ = to_rank_matrix<B, S>(backend, ranks, level.rows, products.restriction, coarse, root);
    kept.prolong = to_rank_matrix<B, S>(backend, ranks, level.next->rows, products.prolongation, root, coarse);
    return kept;
}

}  // namespace stiefel::amg
