#include "stiefel/cli/ranks/rank_input.hpp"

#include "stiefel/cli/ranks/rank_order.hpp"
#include "stiefel/cli/ranks/rank_range.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/suitability.hpp"
#include "stiefel/cli/solve/system_input.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/node_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace stiefel::cli {

namespace {

/// The rows of this rank of what one process would draw.
HostVector<double> random_columns_here(const RankMatrix& matrix, int rank, Index k) {
    const Index n = matrix.blocks.n_rows_of(rank);
    HostVector<double> b(Size{n} * k);
    for (Index j = 0; j < k; ++j) {
        for (Index i = 0; i < n; ++i) b[Size{j} * n + i] = random_element(matrix.number_in_file(rank, i), j);
    }
    return b;
}

HostVector<double> widened(const HostVector<float>& values) {
    HostVector<double> wide(values.size());
    std::copy(values.begin(), values.end(), wide.data());
    return wide;
}

/// b and the guess: made where they are needed, or read by the first rank and handed out.
void read_vectors_of_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, RankSystem& system) {
    by_first(ranks, [&] {
        check_fits_file(system.n_rows(), "--rhs", options.rhs_is_file() ? options.rhs : "");
        check_fits_file(system.n_rows(), "--guess", options.guess);
        check_fits_file(system.n_rows(), "--output", options.output);
    });
    const auto n = static_cast<Index>(system.n_rows());
    if (options.rhs == "ones") {
        system.b = HostVector<double>(system.blocks.n_rows_of(ranks.rank()), 1.0);
    } else if (options.rhs_is_random()) {
        system.n_columns = random_columns(options.rhs);
        system.b = random_columns_here(system, ranks.rank(), system.n_columns);
    } else if (options.rhs != "consistent") {
        DenseArray<double> b;
        by_first(ranks, [&] { b = right_hand_sides(options, n, host.threads()); });
        system.n_columns = told_by_first(ranks, b.n_cols);
        system.b = handed_out(ranks, system.blocks, system.order, b.values, system.n_columns);
    }
    const bool is_single = options.precision == Precision::single;
    if (is_single && options.rhs != "consistent") {
        const std::string name = options.rhs_is_file() ? options.rhs : fmt::format("--rhs {}", options.rhs);
        bring_into_single(ranks, system.exponent, name, system.n_columns, system.b);
    }
    if (options.guess.empty()) return;
    HostVector<double> guess;
    by_first(ranks, [&] {
        guess = is_single ? widened(guesses<float>(options, n, system.n_columns, host.threads()))
                          : guesses<double>(options, n, system.n_columns, host.threads());
    });
    system.guess = handed_out(ranks, system.blocks, system.order, guess, system.n_columns);
}

/// From all nodes, which the first rank has, to those of each rank's rows.
void hand_out_coordinates(Ranks& ranks, const DenseArray<double>& all, RankSystem& system) {
    const Index of_node = system.block_size;
    const RowBlocks nodes = in_nodes(system.blocks, of_node);
    HostVector<Size> order(system.order.size() / of_node);
    for (Size i = 0; i < order.size(); ++i) order[i] = system.order[i * of_node] / of_node;
    const Index dimensions = told_by_first(ranks, all.n_cols);
    system.coordinates = {nodes.n_rows_of(ranks.rank()), dimensions,
                          handed_out(ranks, nodes, order, all.values, dimensions)};
}

}  // namespace

RankSystem read_on_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, bool on_gpus, SolveReport& report,
                         StatusLine& status) {
    DenseArray<double> coordinates;
    Index block_size = 0;
    const auto unknowns_of = [&](Size n_rows) {
        by_first(ranks, [&] {
            coordinates = read_coordinates(options.amg, options.matrix, host.threads());
            block_size = said_block_size(options.amg, coordinates, n_rows);
        });
        return block_size = told_by_first(ranks, block_size);
    };
    RankSystem system{read_matrix_on_ranks(ranks, host, options, cg_needs, unknowns_of,
                                           on_gpus ? Gpus::for_one_solve : Gpus::none, report, status)};
    system.block_size = block_size;
    together(ranks, [&] {
        system.preconditioner =
            check_diagonal(system.diagonal, system.n_rows(), options.matrix, options.preconditioner);
    });
    Stopwatch watch;
    // As in one process, `auto` leaves what is solved on devices, and nodes whose coordinates are told, where they are.
    const bool is_left = options.reorder == ReorderWord::automatic && (on_gpus || !options.amg.coordinates.empty());
    status.show("ordering rows");
    if (!is_left) reorder_rows(ranks, host, options.reorder, block_size, system, report.method);
    report.seconds.setup += watch.restart();
    status.show("reading the right-hand side");
    read_vectors_of_ranks(ranks, host, options, system);
    if (!options.amg.coordinates.empty()) hand_out_coordinates(ranks, coordinates, system);
    report.seconds.read += watch.seconds();
    status.clear();
    return system;
}

}  // namespace stiefel::cli
