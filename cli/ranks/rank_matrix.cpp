#include "stiefel/cli/ranks/rank_matrix.hpp"

#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/analysis/world_symmetry.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/ranks/matrix_entries.hpp"
#include "stiefel/cli/ranks/rank_partition.hpp"
#include "stiefel/cli/ranks/rank_range.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/spmv/resident_size.hpp"
#include "stiefel/world/entries.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/grid_planes.hpp"
#include "stiefel/world/node_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::cli {

namespace {

/// Rows of this rank, whether they are to be parted, and what is to stay together.
struct FirstRows : RankRows {
    bool is_settled = false;
    Index unknowns = 0;  ///< of a node, where they are told
    int exponent = 0;    ///< as of a RankMatrix
};

/// Whether CG on a matrix of so many rows and entries is faster on one GPU than on one for each rank: what these save
/// of a product's and vectors' bytes is less than what they say to each other takes. may_stay: the preconditioner is
/// one with which vectors may stay in the multiprocessors of a GPU. All call it at once.
bool cg_is_faster_on_one(Ranks& ranks, Size n_rows, double nnz, bool may_stay) {
    // Measured (docs/performance/scaling.md): what an iteration moves in a second, and what two sums over GPUs, a halo
    // and their kernels add to it, on GPUs that reach each other and on those of several hosts.
    constexpr double bytes_a_second = 3.5e12, in_a_host = 9e-6, by_hosts = 50e-6;
    const std::vector<std::string> hosts = hosts_of(ranks);
    const bool is_one_host = std::set(hosts.begin(), hosts.end()).size() == 1;
    const double seconds_of_talk = is_one_host ? in_a_host : by_hosts;
    const double seconds = (12 * nnz + 84 * static_cast<double>(n_rows)) / bytes_a_second;
    const double share = 1.0 / ranks.size();
    if (!may_stay) return seconds * (1 - share) < seconds_of_talk;

    // Three vectors (set_resident, in compressed SELL), 227 KiB in each of 132 multiprocessors: where they stay, or
    // most of the first, an iteration is one kernel's, and what goes over the memory is less. GPUs of one host take
    // 2 us more with grids and 7 with elastic bodies; 4 are counted.
    constexpr double bytes_that_stay = 3e7;
    const double entries_of_row = nnz / static_cast<double>(std::max<Size>(n_rows, 1));
    const auto vectors_that_stay = [&](double rows) {
        return std::min(3.0, bytes_that_stay / (sizeof(double) * rows));
    };
    const auto stays = [&](double rows) { return vectors_that_stay(rows) >= least_that_stay(entries_of_row); };
    const auto of_one_kernel = [&](double of_bytes, double rows) {
        return 3e-6 + (0.7 - 0.1 * vectors_that_stay(rows)) * of_bytes;
    };
    const auto of_several_kernels = [](double of_bytes) { return std::max(of_bytes, 11e-6 + 0.75 * of_bytes); };
    const auto rows = static_cast<double>(n_rows);
    const double on_one = stays(rows) ? of_one_kernel(seconds, rows) : of_several_kernels(seconds);
    const double on_several = is_one_host && stays(share * rows)
                                  ? 4e-6 + of_one_kernel(share * seconds, share * rows)
                                  : seconds_of_talk + of_several_kernels(share * seconds);
    // Several take longer to set up and to begin.
    constexpr double worth_it = 0.85;
    return worth_it * on_one < on_several;
}

/// The same of multigrid, set up for one solve: what several GPUs save of its cycles they lose in its set-up. Measured
/// on two, up to so many entries; a grid of 2500^2 alone gained already.
bool multigrid_is_faster_on_one(double nnz) {
    constexpr double most_entries = 1e8;
    return nnz <= most_entries;
}

/// `automatic` goes on with multigrid, if at all, after iterations that are faster on several.
bool one_gpu_is_faster(Ranks& ranks, Gpus gpus, PreconditionerWord word, Size n_rows, double nnz) {
    if (gpus == Gpus::none) return false;
    const bool is_multigrid = word == PreconditionerWord::amg && gpus == Gpus::for_one_solve;
    const bool may_stay =
        gpus == Gpus::for_one_solve && (word == PreconditionerWord::automatic || word == PreconditionerWord::none ||
                                        word == PreconditionerWord::jacobi);
    return (is_multigrid && multigrid_is_faster_on_one(nnz)) || cg_is_faster_on_one(ranks, n_rows, nnz, may_stay);
}

/// As many rows for each as for the others; unknowns: as of balanced_blocks.
RowBlocks even_blocks(Size n_rows, int n_ranks, Index unknowns) {
    const Size unit = rows_to_begin_at(n_rows, n_ranks, unknowns);
    const RowBlocks units = RowBlocks::even((n_rows + unit - 1) / unit, n_ranks);
    std::vector<Size> first;
    for (int rank = 0; rank <= n_ranks; ++rank) first.push_back(std::min(n_rows, units.first(rank) * unit));
    return RowBlocks(std::move(first));
}

/// Where ranks begin: at planes of a grid, where the preconditioner may be one that takes fewer iterations for it, as
/// multigrid of one unknown a node does.
RowBlocks suited(RowBlocks blocks, Size plane, PreconditionerWord word, Index unknowns) {
    const bool may_be_multigrid = word == PreconditionerWord::automatic || word == PreconditionerWord::amg;
    return may_be_multigrid && unknowns <= 1 ? at_planes(blocks, plane) : std::move(blocks);
}

/// All rows with the first rank, as one GPU is faster than several.
FirstRows with_first(Size n_rows, int n_gpus) {
    std::vector<Size> first(static_cast<std::size_t>(n_gpus) + 1, n_rows);
    first.front() = 0;
    return {{.blocks = RowBlocks(std::move(first)),
             .reason = fmt::format("on one GPU, which is faster than {} here", n_gpus)},
            true};
}

/// The diagonal of all ranks, as its own is of the columns that each rank holds.
DiagonalEntries diagonal_of_all(Ranks& ranks, OpenMP& host, const RankMatrix& matrix) {
    const HostCsr<double>& own = matrix.rows.own;
    PartialDiagonal all, here;
    static_cast<DiagonalEntries&>(here) = diagonal_entries(host, own);
    here.empty = own.n_rows == 0;
    // Matrices of more rows than an Index counts are generated, with a diagonal that is positive throughout.
    for (RowTally* tally : {&here.missing, &here.zero, &here.negative}) {
        if (tally->count > 0) tally->first = static_cast<Index>(matrix.number_in_file(ranks.rank(), tally->first));
    }
    for (const PartialDiagonal& of_rank : told_to_all(ranks, here)) all.merge(of_rank);
    return all;
}

/// From entries that lie with any ranks; checked to be symmetric, with what there is to report of them.
FirstRows rows_of_entries(Ranks& ranks, OpenMP& host, EntriesOfRank read, const ComputationWords& words,
                          std::string_view who_needs, Index unknowns, Gpus gpus, ComputationReport& report) {
    const std::string& path = words.matrix;
    const Coo<double>& entries = read.entries;
    const Symmetry symmetry = entries.symmetry;
    FirstRows first{{.blocks = suited(balanced_blocks(ranks, entries, unknowns), plane_of_grid(ranks, entries),
                                      words.preconditioner, unknowns),
                     .reason = "of the file's order"}};
    auto nnz = static_cast<double>(entries.n_entries() * (symmetry == Symmetry::general ? 1 : 2));
    ranks.all_sum(&nnz, 1);
    if (one_gpu_is_faster(ranks, gpus, words.preconditioner, entries.n_rows, nnz))
        first = with_first(entries.n_rows, ranks.size());
    const bool is_single = words.precision == Precision::single;
    if (is_single) first.exponent = bring_into_single(ranks, host, path, read);
    auto [csr, n_duplicates] = rows_of_rank(host, ranks, first.blocks, std::move(read.entries));
    auto duplicates = static_cast<double>(n_duplicates);
    ranks.all_sum(&duplicates, 1);
    report.notes = noted(path, read.notes);
    note_duplicates(path, static_cast<Size>(duplicates), report.notes);
    report.matrix.symmetry = word_of(symmetry);
    if (symmetry == Symmetry::general) {
        const SymmetryInfo found = check_symmetry(ranks, first.blocks, csr,
                                                  is_single ? rounding_asymmetry<float> : rounding_asymmetry<double>);
        together(ranks, [&] { check_symmetric(found, path, who_needs, report.notes); });
        if (!found.pattern_symmetric() && !first.is_settled) {
            first.is_settled = true;
            first.reason = "of the file's order, as the pattern is not symmetric";
        }
    }
    first.rows = as_world_rows(std::move(csr));
    return first;
}

/// What some rows in the middle of a generated matrix say of all.
struct MiddleRows {
    double mean_entries = 0;
    Size plane = 0;  ///< of a grid
};

MiddleRows look_at_middle(OpenMP& host, const RowSource& source) {
    constexpr Size enough = 1000;
    const Size n = std::min(enough, source.n_rows), first = (source.n_rows - n) / 2;
    if (n == 0) return {};
    const WorldRows<double> rows = source.rows(host, first, first + n);
    return {static_cast<double>(rows.nnz()) / static_cast<double>(n), plane_of_grid(rows, first, source.n_rows)};
}

/// Made by each rank by itself, of a symmetric problem.
FirstRows generated_rows(Ranks& ranks, OpenMP& host, const GeneratedMatrix& matrix, const ComputationWords& words,
                         const UnknownsOfNode& unknowns_of, Gpus gpus, ComputationReport& report) {
    const RowSource source = matrix.problem->source(matrix.arguments);
    const Size n = source.n_rows;
    const Index unknowns = unknowns_of(n);
    const MiddleRows middle = look_at_middle(host, source);
    FirstRows first{
        {.blocks = suited(even_blocks(n, ranks.size(), unknowns), middle.plane, words.preconditioner, unknowns),
         .reason = "as many rows each"}};
    if (one_gpu_is_faster(ranks, gpus, words.preconditioner, n, middle.mean_entries * static_cast<double>(n)))
        first = with_first(n, ranks.size());
    together(ranks, [&] {
        const int rank = ranks.rank();
        first.rows = source.rows(host, first.blocks.first(rank), first.blocks.first(rank + 1));
    });
    first.unknowns = unknowns;
    if (words.precision == Precision::single) {
        std::vector<std::string> notes;
        const Size row = first.blocks.first(ranks.rank());
        first.exponent = bring_into_single(ranks, host, words.matrix, row, first.rows, notes);
        report.notes = noted(words.matrix, notes);
    }
    report.matrix.symmetry = word_of(matrix.symmetry());
    return first;
}

FirstRows first_rows(Ranks& ranks, OpenMP& host, const ComputationWords& words, std::string_view who_needs,
                     const UnknownsOfNode& unknowns_of, Gpus gpus, ComputationReport& report, StatusLine& status) {
    const std::string& path = words.matrix;
    const Stopwatch watch;
    if (is_generated(path)) {
        status.show(fmt::format("making {}", path));
        const GeneratedMatrix matrix = generated_matrix(path);
        if (matrix.symmetry() == Symmetry::symmetric) {
            FirstRows rows = generated_rows(ranks, host, matrix, words, unknowns_of, gpus, report);
            report.seconds.read = watch.seconds();
            return rows;
        }
    }
    status.show(fmt::format("reading {}", path));
    EntriesOfRank read = read_entries(ranks, host, path);
    const Coo<double>& entries = read.entries;
    together(ranks, [&] { check_suits(entries.n_rows, entries.n_cols, entries.symmetry, path, who_needs); });
    const Index unknowns = unknowns_of(entries.n_rows);
    report.seconds.read = watch.seconds();
    status.show(fmt::format("handing out {}", path));
    FirstRows rows = rows_of_entries(ranks, host, std::move(read), words, who_needs, unknowns, gpus, report);
    rows.unknowns = unknowns;
    return rows;
}

}  // namespace

RankMatrix read_matrix_on_ranks(Ranks& ranks, OpenMP& host, const ComputationWords& words, std::string_view who_needs,
                                const UnknownsOfNode& unknowns_of, Gpus gpus, ComputationReport& report,
                                StatusLine& status) {
    Stopwatch watch;
    by_first(ranks, [&] { check_partition(words.partition); });
    FirstRows first = first_rows(ranks, host, words, who_needs, unknowns_of, gpus, report, status);
    auto nnz = static_cast<double>(first.rows.nnz());
    ranks.all_sum(&nnz, 1);
    report.matrix.path = words.matrix;
    report.matrix.n_rows = report.matrix.n_cols = first.blocks.n_rows();
    report.matrix.nnz = static_cast<Size>(nnz);
    report.matrix.format = "csr";
    const double norm = infinity_norm(host, first.rows);
    status.show(fmt::format("parting {}", words.matrix));
    if (!first.is_settled) part_rows(ranks, host, words, first.unknowns, first);
    RankMatrix matrix{.blocks = std::move(first.blocks),
                      .order = std::move(first.order),
                      .partition = std::move(first.partition),
                      .partition_reason = std::move(first.reason),
                      .exponent = first.exponent,
                      .norm = norm};
    ranks.all_max(&matrix.norm, 1);
    if (!std::isfinite(matrix.norm)) matrix.norm = 0;
    together(ranks, [&] { matrix.rows = split_rows(first.rows, matrix.blocks, ranks.rank(), host.threads()); });
    first.rows = {};
    report.seconds.convert = watch.restart() - report.seconds.read;
    matrix.diagonal = diagonal_of_all(ranks, host, matrix);
    report.seconds.setup = watch.seconds();
    status.clear();
    return matrix;
}

}  // namespace stiefel::cli
