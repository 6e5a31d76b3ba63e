#include "stiefel/preconditioner/amg/ranks/rank_hierarchy.hpp"

#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/ranks/in_all.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_matrix.hpp"
#include "stiefel/preconditioner/amg/spectral_radius.hpp"
#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/world/node_blocks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiefel::amg {

namespace {

/// The nodes of others that the rows are coupled to, `block` unknowns each.
std::vector<Size> nodes_of(const std::vector<Size>& unknowns, Index block) {
    std::vector<Size> nodes;
    for (const Size unknown : unknowns) {
        if (nodes.empty() || nodes.back() != unknown / block) nodes.push_back(unknown / block);
    }
    return nodes;
}
std::vector<Size> unknowns_of(const std::vector<Size>& nodes, Index block) {
    std::vector<Size> unknowns;
    for (const Size node : nodes) {
        for (Index c = 0; c < block; ++c) unknowns.push_back(node * block + c);
    }
    return unknowns;
}

/// The diagonal of the next level in this rank's rows, judged by those of the prolongation's columns that are its own:
/// they have entries in rows of others.
HostVector<double> settled_diagonal(OpenMP& backend, Ranks& ranks, const RankStage& stage, RankCoarser& next) {
    const SplitRows<double>& restriction = next.products.restriction;
    Ghosts rows_of_others(ranks, stage.rows, restriction.ghosts);
    HostVector<double> diagonal(stage.diagonal.size() + rows_of_others.count());
    std::copy_n(stage.diagonal.data(), stage.diagonal.size(), diagonal.data());
    rows_of_others.bring(diagonal);
    const HostCsr<double> p = transpose(backend, with_ghosts(backend, restriction, restriction.ghosts));
    CoarseDiagonal settled;
    in_all(ranks, [&] { settled = coarse_diagonal(backend, next.products.a.own, p, diagonal); });
    drop_absent(settled, next.products.a.own);
    return std::move(settled.values);
}

}  // namespace

SetupSeconds build_rank_hierarchy(OpenMP& backend, Ranks& ranks, const RowBlocks& finest_rows,
                                  const SplitRows<double>& finest, const SetupOptions& options,
                                  const std::function<void(const RankLevel&)>& keep,
                                  const RankRitzValueOf& ritz_value) {
    SetupSeconds seconds;
    Stopwatch watch;
    HostVector<double> diagonal = diagonal_of(backend, finest.own);
    in_all(ranks, [&] { check_positive(backend, diagonal, finest_rows.first(ranks.rank())); });
    RankCoarsening coarsening(backend, ranks, options, finest_rows, finest);
    const Index finest_block = coarsening.block_size();
    seconds.aggregate += watch.restart();

    RowBlocks rows = finest_rows;
    SplitRows<double> owned;
    const SplitRows<double>* split = &finest;
    for (int l = 1;; ++l) {
        watch.restart();
        const Index block = coarsening.block_size();
        const std::vector<Size> nodes = nodes_of(split->ghosts, block);
        Ghosts ghosts(ranks, in_nodes(rows, block), nodes);
        const HostCsr<double> a = with_ghosts(backend, *split, unknowns_of(nodes, block));
        Ghosts unknowns(ranks, rows, unknowns_of(nodes, block));
        const double radius = spectral_radius(backend, a, diagonal, [&] {
            if (!ritz_value) return largest_ritz_value(backend, a, diagonal, &unknowns);
            return ritz_value(rows, *split, roots(backend, diagonal, true));
        });
        const auto nonzeros = static_cast<Size>(all_sum(backend, static_cast<double>(split->nnz())));
        seconds.smoother += watch.restart();
        const RankStage stage{rows, *split, a, diagonal, radius, ghosts};
        std::optional<RankCoarser> next;
        if (rows.n_rows() > options.gathered_rows && l < options.most_levels) {
            next = coarsening.coarsen(backend, ranks, stage, seconds);
        }
        watch.restart();
        std::optional<HostVector<double>> coarse_diagonal;
        if (next) coarse_diagonal = settled_diagonal(backend, ranks, stage, *next);
        seconds.product += watch.restart();
        const bool has_modes = coarsening.near_null_space().modes > 1;
        keep({rows, *split, diagonal, radius, nonzeros, next ? &*next : nullptr,
              coarse_diagonal ? &*coarse_diagonal : nullptr, finest_block,
              !next && has_modes ? &coarsening.near_null_space() : nullptr});
        seconds.convert += watch.restart();
        if (!next) return seconds;
        owned = std::move(next->products.a);
        split = &owned;
        rows = std::move(next->rows);
        diagonal = std::move(*coarse_diagonal);
    }
}

}  // namespace stiefel::amg
