#include "stiefel/preconditioner/amg/ranks/rank_coarsening.hpp"

#include "stiefel/core/agreement.hpp"
#include "stiefel/preconditioner/amg/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/preconditioner/amg/ranks/in_all.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_matrix.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_nodes.hpp"
#include "stiefel/world/node_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stiefel::amg {

namespace {

/// The unknowns a node that the options say or that all ranks find in their own rows; else 1.
Index agreed_block_size(OpenMP& backend, Ranks& ranks, const SetupOptions& options, const RowBlocks& rows,
                        const SplitRows<double>& a) {
    const Index here = said_block_size(a.own.n_rows, options);
    const auto said = static_cast<Index>(agreed(backend, here));
    if (said == 0) return found_unknowns(ranks, backend, rows, a.own);
    const Index of_all = unknowns_of_all(ranks, rows, a.own.n_rows == 0 ? 0 : here);
    require(of_all == said,
            fmt::format("amg: the rows of some rank do not begin at a node of {} unknowns", said).c_str());
    return said;
}

/// Around the nodes of all ranks.
Extent extent_of_all(Ranks& ranks, const Coordinates& here) {
    const Extent own = extent_of(here);
    Extent all;
    double ends[2 * Extent::axes];
    for (std::size_t axis = 0; axis < Extent::axes; ++axis) {
        ends[axis] = own.most[axis];
        ends[Extent::axes + axis] = -own.least[axis];
    }
    ranks.all_max(ends, 2 * Extent::axes);
    for (std::size_t axis = 0; axis < Extent::axes; ++axis) {
        all.most[axis] = ends[axis];
        all.least[axis] = -ends[Extent::axes + axis];
    }
    return all;
}

/// Of this rank's rows, and with those of the others the modes of the whole body.
NearNullSpace modes_of(Ranks& ranks, const SetupOptions& options, const RowBlocks& rows, Index block) {
    const Index n = rows.n_rows_of(ranks.rank());
    if (options.coordinates.dimensions == 0) return block == 1 ? NearNullSpace{} : constants(n, block);
    in_all(ranks, [&] { check_blocks(n, block, options, rows.first(ranks.rank()) / block); });
    return rigid_body_modes(options.coordinates, block, extent_of_all(ranks, options.coordinates));
}

/// Aggregates of all ranks: their numbers, and those that nodes of others belong to behind this rank's own.
struct AggregatesOfAll {
    Aggregates local;          ///< of nodes and of ghosts; `count` with those of others
    std::vector<Size> ghosts;  ///< the numbers of these over all ranks
};

AggregatesOfAll aggregates_of_all(const RowBlocks& coarse, Ranks& ranks, Ghosts& nodes, const Aggregates& own) {
    const Index n = nodes.n_own(), all = n + nodes.count();
    const Size first = coarse.first(ranks.rank());
    HostVector<Size> number(all);
    for (Index i = 0; i < n; ++i) number[i] = first + own.of_node[i];
    nodes.bring(number);
    AggregatesOfAll result{.local = {HostVector<Index>(all)}, .ghosts = {}};
    for (Index i = n; i < all; ++i) result.ghosts.push_back(number[i]);
    std::sort(result.ghosts.begin(), result.ghosts.end());
    result.ghosts.erase(std::unique(result.ghosts.begin(), result.ghosts.end()), result.ghosts.end());
    result.local.count = own.count + static_cast<Index>(result.ghosts.size());
    for (Index i = 0; i < all; ++i) {
        const auto at = std::lower_bound(result.ghosts.begin(), result.ghosts.end(), number[i]);
        result.local.of_node[i] = i < n ? own.of_node[i] : own.count + static_cast<Index>(at - result.ghosts.begin());
    }
    return result;
}

Aggregates each_by_itself(Index n) {
    Aggregates alone{HostVector<Index>(n), n};
    for (Index i = 0; i < n; ++i) alone.of_node[i] = i;
    return alone;
}

/// The prolongation of pairs of this rank's nodes: it has one column with an entry in each row.
HostCsr<double> prolongation_of_pairs(OpenMP& backend, const RankStage& stage, int passes, SetupSeconds& seconds) {
    const Index n = stage.split.own.n_rows;
    Aggregates aggregates =
        n > 1 ? aggregates_of_pairs(backend, stage.split.own, stage.diagonal, passes, seconds) : each_by_itself(n);
    if (aggregates.count > least_shrinking * n) aggregates = each_by_itself(n);
    HostVector<Size> row_ptr(Size{n} + 1);
    HostCsr<double> p{.n_rows = n,
                      .n_cols = aggregates.count,
                      .row_ptr = {},
                      .col_idx = std::move(aggregates.of_node),
                      .values = HostVector<double>(n, 1.0)};
    for (Index i = 0; i < n; ++i) row_ptr[i] = i;
    row_ptr[n] = n;
    p.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    return p;
}

/// Of what each row has in columns of other ranks.
HostVector<double> sums_beyond(const SplitRows<double>& a) {
    HostVector<double> sums(a.own.n_rows, 0.0);
    a.beyond.row_ptr.visit([&](const auto* row_ptr) {
        for (Index b = 0; b < a.beyond.n_rows; ++b) {
            for (Size k = row_ptr[b]; k < row_ptr[b + 1]; ++k) sums[a.boundary[b]] += a.beyond.values[k];
        }
    });
    return sums;
}

}  // namespace

RankCoarsening::RankCoarsening(OpenMP& backend, Ranks& ranks, const SetupOptions& options, const RowBlocks& rows,
                               const SplitRows<double>& a)
    : finest_(options.coarsening) {
    const Index block = agreed_block_size(backend, ranks, options, rows, a);
    check_coarsening(block, options);
    space_ = modes_of(ranks, options, rows, block);
}

std::optional<RankCoarsening::Prolonged> RankCoarsening::by_pairs(OpenMP& backend, Ranks& ranks, const RankStage& stage,
                                                                  SetupSeconds& seconds) const {
    const Index n = stage.split.own.n_rows;
    const auto nnz = static_cast<Size>(all_sum(backend, static_cast<double>(stage.split.nnz())));
    if (space_.modes > 1 || space_.block > 1 || stage.rows.n_rows() > std::numeric_limits<Index>::max()) return {};
    if (is_surely_smoothed(static_cast<Index>(stage.rows.n_rows()), nnz, finest_)) return {};
    const Stopwatch watch;
    const Neighbourhoods around = of_all(ranks, sample_neighbourhoods(stage.split.own, stage.diagonal), n);
    const int passes = pairing_passes(around, finest_);
    seconds.aggregate += watch.seconds();
    if (passes == 0) return {};
    HostCsr<double> p;
    in_all(ranks, [&] { p = prolongation_of_pairs(backend, stage, passes, seconds); });
    RowBlocks columns = numbered(ranks, p.n_cols);
    if (static_cast<double>(columns.n_rows()) > least_shrinking * static_cast<double>(stage.rows.n_rows())) return {};
    return Prolonged{{std::move(p), {}, std::move(columns)}, over_correction, coarsening_names::pairs};
}

std::optional<RankCoarsening::Prolonged> RankCoarsening::smoothed(OpenMP& backend, Ranks& ranks, const RankStage& stage,
                                                                  SetupSeconds& seconds) {
    Stopwatch watch;
    const bool is_scalar = space_.block == 1 && space_.modes == 1;
    const BlockMatrix blocks = is_scalar ? BlockMatrix{} : to_blocks(backend, stage.a, space_.block);
    const HostCsr<double> norms = is_scalar ? HostCsr<double>{} : block_norms(backend, blocks);
    const HostCsr<double>& couplings = is_scalar ? stage.a : norms;
    const Strength is_strong(backend, couplings, is_scalar ? Strength::theta : Strength::theta_of_blocks, &stage.nodes);
    Aggregates aggregates = greedy_aggregates(couplings, is_strong);
    const RowBlocks coarse = numbered(ranks, aggregates.count);
    seconds.aggregate += watch.restart();
    const double n_nodes = static_cast<double>(stage.rows.n_rows()) / space_.block;
    if (static_cast<double>(coarse.n_rows()) > least_shrinking * n_nodes) return {};
    AggregatesOfAll all = aggregates_of_all(coarse, ranks, stage.nodes, aggregates);
    Prolonged result{{{}, {}, coarse}, 1, coarsening_names::smoothed};
    if (is_scalar) {
        result.p.p = smoothed_prolongation(backend, couplings, is_strong, all.local,
                                           least_followed_of(stage.rows.n_rows(), finest_rows_));
        result.p.ghosts = std::move(all.ghosts);
    } else {
        TentativeProlongation t = tentative_prolongation(backend, aggregates, std::move(space_));
        const Index modes = t.coarse.modes;
        HostVector<double> values(stage.a.n_cols * Size{modes});
        std::copy_n(t.values.data(), t.values.size(), values.data());
        t.values = std::move(values);
        stage.nodes.bring(t.values, t.height * modes);
        result.p.p = to_csr(backend, block_prolongation(backend, blocks, is_strong, all.local, t, stage.radius));
        result.p.columns = in_unknowns(coarse, modes);
        for (const Size node : all.ghosts) {
            for (Index m = 0; m < modes; ++m) result.p.ghosts.push_back(node * modes + m);
        }
        space_ = std::move(t.coarse);
    }
    seconds.prolongate += watch.restart();
    return result;
}

std::optional<RankCoarser> RankCoarsening::coarsen(OpenMP& backend, Ranks& ranks, const RankStage& stage,
                                                   SetupSeconds& seconds) {
    const Index block = space_.block;
    if (is_finest_) finest_rows_ = stage.rows.n_rows();
    auto made = std::exchange(is_finest_, false) ? by_pairs(backend, ranks, stage, seconds) : std::nullopt;
    if (!made) made = smoothed(backend, ranks, stage, seconds);
    if (!made) return {};
    const Stopwatch watch;
    RowBlocks rows = made->p.columns;
    const bool is_over_corrected = made->divisor != 1;
    RankCoarser coarser{
        std::move(rows),
        rank_products(backend, ranks, stage.rows, stage.a, stage.nodes, block, std::move(made->p), made->divisor),
        made->coarsening};
    if (is_over_corrected) {
        const HostVector<double> beside = sums_beyond(coarser.products.a);
        keep_row_sums(backend, coarser.products.a.own, &beside);
        keep_weak_couplings(backend, coarser.products.a.own);
    }
    seconds.product += watch.seconds();
    return coarser;
}

}  // namespace stiefel::amg
