#include "stiefel/cli/ranks/rank_input.hpp"

#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/analysis/world_symmetry.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/ranks/matrix_entries.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/suitability.hpp"
#include "stiefel/cli/solve/system_input.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/world/entries.hpp"
#include "stiefel/world/exchange.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::cli {

namespace {

/// The diagonal of all ranks, as its own is of the columns that each rank holds.
DiagonalEntries diagonal_of_all(Ranks& ranks, OpenMP& host, const RowBlocks& blocks, const HostCsr<double>& own) {
    PartialDiagonal all, here;
    static_cast<DiagonalEntries&>(here) = diagonal_entries(host, own);
    here.empty = own.n_rows == 0;
    const auto first = static_cast<Index>(blocks.first(ranks.rank()));
    for (RowTally* tally : {&here.missing, &here.zero, &here.negative}) {
        if (tally->count > 0) tally->first += first;
    }
    for (const PartialDiagonal& of_rank : told_to_all(ranks, here)) all.merge(of_rank);
    return all;
}

/// The rows of this rank, checked, with what there is to report of the matrix.
HostCsr<double> checked_rows(Ranks& ranks, OpenMP& host, EntriesOfRank read, const SolveOptions& options,
                             RankSystem& system, SolveReport& report) {
    const std::string& path = options.matrix;
    const Index n = read.entries.n_rows;
    const Symmetry symmetry = read.entries.symmetry;
    auto [csr, n_duplicates] = rows_of_rank(host, ranks, system.blocks, std::move(read.entries));
    double sums[] = {static_cast<double>(csr.nnz()), static_cast<double>(n_duplicates)};
    ranks.all_sum(sums, 2);
    report.notes = noted(path, read.notes);
    note_duplicates(path, static_cast<Size>(sums[1]), report.notes);
    report.matrix = {.path = path,
                     .n_rows = n,
                     .n_cols = n,
                     .nnz = static_cast<Size>(sums[0]),
                     .symmetry = std::string(word_of(symmetry)),
                     .format = "csr"};
    if (symmetry == Symmetry::general) {
        const SymmetryInfo found = check_symmetry(ranks, system.blocks, csr);
        together(ranks, [&] { check_symmetric(found, path, cg_needs, report.notes); });
    }
    system.norm = infinity_norm(host, csr);
    ranks.all_max(&system.norm, 1);
    if (!std::isfinite(system.norm)) system.norm = 0;
    return std::move(csr);
}

/// b and the guess: made where they are needed, or read by the first rank and handed out.
void read_vectors_of_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, RankSystem& system) {
    const auto n = static_cast<Index>(system.blocks.n_rows());
    const bool is_made = options.rhs == "ones" || options.rhs == "consistent";
    if (options.rhs == "ones") system.b = HostVector<double>(system.blocks.n_rows_of(ranks.rank()), 1.0);
    if (!is_made) {
        DenseArray<double> b;
        by_first(ranks, [&] { b = right_hand_sides(options, n, host.threads()); });
        system.n_columns = told_by_first(ranks, b.n_cols);
        system.b = handed_out(ranks, system.blocks, b.values, system.n_columns);
    }
    if (options.guess.empty()) return;
    HostVector<double> guess;
    by_first(ranks, [&] { guess = guesses<double>(options, n, system.n_columns, host.threads()); });
    system.guess = handed_out(ranks, system.blocks, guess, system.n_columns);
}

/// Whether CG on a matrix of so many rows and entries is faster on one GPU than on several: what these save of a
/// product's and vectors' bytes is less than what they say to each other takes.
bool one_gpu_is_faster(Size n_rows, Size nnz, int n_gpus) {
    // Measured on two H200 (docs/performance/scaling.md): what an iteration moves in a second, and what two sums over
    // GPUs, a halo and their kernels add to it.
    constexpr double bytes_a_second = 3.5e12, seconds_of_talk = 9e-6;
    const double seconds = (12 * static_cast<double>(nnz) + 84 * static_cast<double>(n_rows)) / bytes_a_second;
    return seconds * (1 - 1.0 / n_gpus) < seconds_of_talk;
}

/// Gives the first rank all rows where one GPU is faster than several.
void leave_to_one_gpu(Ranks& ranks, const Coo<double>& entries, RankSystem& system) {
    auto nnz = static_cast<double>(entries.n_entries() * (entries.symmetry == Symmetry::general ? 1 : 2));
    ranks.all_sum(&nnz, 1);
    if (!one_gpu_is_faster(entries.n_rows, static_cast<Size>(nnz), ranks.size())) return;
    std::vector<Size> first(static_cast<std::size_t>(ranks.size()) + 1, entries.n_rows);
    first.front() = 0;
    system.blocks = RowBlocks(std::move(first));
    system.partition_reason = fmt::format("on one GPU, which is faster than {} with so few rows", ranks.size());
}

}  // namespace

RankSystem read_on_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, bool on_gpus, SolveReport& report,
                         StatusLine& status) {
    Stopwatch watch;
    status.show(fmt::format("reading {}", options.matrix));
    EntriesOfRank read = read_entries(ranks, host, options.matrix);
    const Coo<double>& entries = read.entries;
    together(ranks, [&] { check_suits(entries.n_rows, entries.n_cols, entries.symmetry, options.matrix, cg_needs); });
    report.seconds.read = watch.restart();

    status.show(fmt::format("handing out {}", options.matrix));
    RankSystem system{.blocks = balanced_blocks(ranks, entries), .partition_reason = "of the file's order", .rows = {}};
    if (on_gpus) leave_to_one_gpu(ranks, entries, system);
    HostCsr<double> rows = checked_rows(ranks, host, std::move(read), options, system, report);
    together(ranks, [&] { system.rows = split_rows(as_world_rows(std::move(rows)), system.blocks, ranks.rank()); });
    report.seconds.convert = watch.restart();

    const DiagonalEntries diagonal = diagonal_of_all(ranks, host, system.blocks, system.rows.own);
    together(ranks, [&] {
        system.preconditioner = check_diagonal(diagonal, report.matrix.n_rows, options.matrix, options.preconditioner);
    });
    report.seconds.setup = watch.restart();
    status.show("reading the right-hand side");
    read_vectors_of_ranks(ranks, host, options, system);
    report.seconds.read += watch.seconds();
    status.clear();
    return system;
}

}  // namespace stiefel::cli
