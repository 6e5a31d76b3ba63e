#include "stiefel/preconditioner/amg/ranks/cuda/rank_pairs.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/neighbourhoods.hpp"
#include "stiefel/preconditioner/amg/cuda/nodes.hpp"
#include "stiefel/preconditioner/amg/cuda/pairs.hpp"
#include "stiefel/preconditioner/amg/lanczos.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/beyond_rows.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/ghost_numbers.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/matrix_parts.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_matrix.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

double agreed(CudaWorld& world, double found) {
    world.all_max(&found, 1);
    return found;
}

/// Gershgorin's bound of all ranks. That of a GPU lacks what boundary rows have in columns of others.
double gershgorin(CudaWorld& world, const RankRows& rows, const LevelFacts& facts) {
    const SplitRows<double>& a = rows.split;
    double most = LevelFacts::number(facts.gershgorin);
    a.own.row_ptr.visit([&](const auto* own_ptr) {
        a.beyond.row_ptr.visit([&](const auto* beyond_ptr) {
            for (Index b = 0; b < a.beyond.n_rows; ++b) {
                const Index i = a.boundary[b];
                double sum = 0, diagonal = 0;
                for (Size k = own_ptr[i]; k < own_ptr[i + 1]; ++k) {
                    sum += std::abs(a.own.values[k]);
                    if (a.own.col_idx[k] == i) diagonal = a.own.values[k];
                }
                for (Size k = beyond_ptr[b]; k < beyond_ptr[b + 1]; ++k) sum += std::abs(a.beyond.values[k]);
                most = std::max(most, sum / diagonal);
            }
        });
    });
    return agreed(world, most);
}

/// Of pairs of pairs of own rows, and the sum of these over own columns.
struct OwnPairs {
    DeviceVector<Index> of_node;
    DeviceCsr<double> a;
};

OwnPairs paired(Cuda& backend, const RankRows& rows, int passes, SetupSeconds& seconds) {
    Stopwatch watch;
    OwnPairs result;
    const DeviceVector<GridLines> lines = lines_of(backend, rows.own);
    DeviceVector<Index> number;  // on the grid of the finest, of the nodes of result.a
    DeviceMatrix found;
    for (int pass = 0; pass < passes; ++pass) {
        const DeviceCsr<double>& from = pass == 0 ? rows.own : result.a;
        const GridPlaces places{lines.data(), number.data()};
        DevicePairs pairs = strongest_pairs(backend, from, pass == 0 ? rows.found : found, places);
        const bool is_last = pass + 1 == passes;
        if (!is_last) number = numbers_of(backend, pairs, places);
        seconds.aggregate += watch.restart();
        result.a = sum_of_pairs(backend, from, pairs.of_node, pairs, is_last ? 1 / over_correction : 1);
        seconds.product += watch.restart();
        if (!is_last) found = looked_at(backend, result.a);
        if (pass == 0) {
            result.of_node = std::move(pairs.of_node);
        } else {
            renumber(backend, pairs.of_node, result.of_node);
        }
    }
    return result;
}

/// What rows of the next level have in columns of others: entries of A, renamed and added up. first: the number of the
/// first row here.
SplitRows<double> beyond_of(Cuda& backend, CudaWorld& world, const RankRows& rows, const DeviceVector<Index>& of_node,
                            Size first) {
    const SplitRows<double>& a = rows.split;
    const Halo halo(world, rows.blocks, a.ghosts);
    const HostVector<Index> at_sent = numbers_at(backend, of_node, halo.sent());
    HostVector<Size> sent(at_sent.size());
    for (Size i = 0; i < sent.size(); ++i) sent[i] = first + at_sent[i];
    const HostVector<Size> column_of = numbers_of_ghosts(world, halo, sent);
    const HostVector<Index> row_of = numbers_at(backend, of_node, a.boundary);

    std::vector<BeyondEntry> entries;
    entries.reserve(static_cast<std::size_t>(a.beyond.nnz()));
    a.beyond.row_ptr.visit([&](const auto* row_ptr) {
        for (Index b = 0; b < a.beyond.n_rows; ++b) {
            for (Size k = row_ptr[b]; k < row_ptr[b + 1]; ++k) {
                entries.push_back({row_of[b], column_of[a.beyond.col_idx[k]], a.beyond.values[k] / over_correction});
            }
        }
    });
    std::stable_sort(entries.begin(), entries.end(), [](const BeyondEntry& one, const BeyondEntry& other) {
        return one.row != other.row ? one.row < other.row : one.column < other.column;
    });
    std::size_t n = 0;
    for (const BeyondEntry& entry : entries) {
        const bool is_same = n > 0 && entries[n - 1].row == entry.row && entries[n - 1].column == entry.column;
        if (is_same) {
            entries[n - 1].value += entry.value;
        } else {
            entries[n++] = entry;
        }
    }
    entries.resize(n);

    return beyond_rows(entries);
}

/// Row sums stay what they are, with what lies beyond counted, and weak couplings of own rows.
void keep_sums_and_weak(Cuda& backend, DeviceCsr<double>& coarse, const SplitRows<double>& beyond) {
    HostVector<double> sums(coarse.n_rows, 0.0);
    beyond.beyond.row_ptr.visit([&](const auto* row_ptr) {
        for (Index b = 0; b < beyond.beyond.n_rows; ++b) {
            for (Size k = row_ptr[b]; k < row_ptr[b + 1]; ++k) sums[beyond.boundary[b]] += beyond.beyond.values[k];
        }
    });
    DeviceVector<double> there(backend, sums.size());
    upload(backend, sums, there);
    keep_row_sums(backend, coarse, over_correction - 1, &there);
    keep_weak_couplings(backend, coarse, looked_at(backend, coarse), over_correction - 1);
}

bool is_settled(Cuda& backend, const RankRows& rows, const DeviceCsr<double>& coarse) {
    const LevelFacts facts = load(backend, rows.found.facts);
    const DeviceMatrix found = look_at_diagonal(backend, coarse);
    try {
        check_coarse_diagonal(load(backend, found.facts),
                              LevelFacts::number(facts.most_diagonal) / LevelFacts::number(facts.least_diagonal));
    } catch (const NeedsHost&) {
        return false;
    }
    return true;
}

}  // namespace

std::optional<PairedRows> rows_by_pairs(Cuda& backend, CudaWorld& world, const RankRows& rows,
                                        const SetupOptions& options, SetupSeconds& seconds) {
    Stopwatch watch;
    const Size n_all = rows.blocks.n_rows();
    auto nnz = static_cast<double>(rows.split.nnz());
    world.all_sum(&nnz, 1);
    if (is_surely_smoothed(static_cast<Index>(n_all), static_cast<Size>(nnz), options.coarsening)) return {};
    const LevelFacts facts = load(backend, rows.found.facts);
    const double block =
        agreed(world, options.block_size > 0 ? options.block_size : find_components(backend, rows.own, facts));
    if (block != 1) return {};
    const Neighbourhoods around = of_all(world, sample_neighbourhoods(backend, rows.own, rows.found), rows.own.n_rows);
    const int passes = pairing_passes(around, options.coarsening);
    if (passes == 0) return {};
    const double radius = gershgorin(world, rows, facts);
    if (!(radius <= Lanczos::close_enough)) return {};
    seconds.smoother += watch.restart();

    OwnPairs pairs = paired(backend, rows, passes, seconds);
    const Index n_coarse = pairs.a.n_rows;
    RowBlocks coarse_rows = numbered(world, n_coarse);
    if (static_cast<double>(coarse_rows.n_rows()) > least_shrinking * static_cast<double>(n_all)) return {};
    watch.restart();
    const Size first = coarse_rows.first(world.rank());
    SplitRows<double> beyond = beyond_of(backend, world, rows, pairs.of_node, first);
    keep_sums_and_weak(backend, pairs.a, beyond);
    if (agreed(world, is_settled(backend, rows, pairs.a) ? 0 : 1) > 0) return {};
    seconds.product += watch.restart();

    DeviceCsr<double> p = indicator(backend, std::move(pairs.of_node), n_coarse);
    DeviceCsr<double> r = transpose(backend, p);
    shift(backend, p.col_idx, static_cast<Index>(first));
    p.n_cols = static_cast<Index>(coarse_rows.n_rows());
    seconds.prolongate += watch.seconds();
    return PairedRows{radius,       std::move(coarse_rows), std::move(p),
                      std::move(r), std::move(pairs.a),     std::move(beyond)};
}

}  // namespace stiefel::amg
