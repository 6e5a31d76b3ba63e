#include "stiefel/cli/ranks/rank_input.hpp"

#include "stiefel/cli/ranks/rank_vectors.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/suitability.hpp"
#include "stiefel/cli/solve/system_input.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/world/exchange.hpp"

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
    if (options.guess.empty()) return;
    HostVector<double> guess;
    by_first(ranks, [&] { guess = guesses<double>(options, n, system.n_columns, host.threads()); });
    system.guess = handed_out(ranks, system.blocks, system.order, guess, system.n_columns);
}

}  // namespace

RankSystem read_on_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, bool on_gpus, SolveReport& report,
                         StatusLine& status) {
    RankSystem system{read_matrix_on_ranks(ranks, host, options, cg_needs, on_gpus, report, status)};
    together(ranks, [&] {
        system.preconditioner =
            check_diagonal(system.diagonal, system.n_rows(), options.matrix, options.preconditioner);
    });
    const Stopwatch watch;
    status.show("reading the right-hand side");
    read_vectors_of_ranks(ranks, host, options, system);
    report.seconds.read += watch.seconds();
    status.clear();
    return system;
}

}  // namespace stiefel::cli
