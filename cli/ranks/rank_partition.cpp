#include "stiefel/cli/ranks/rank_partition.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_nodes.hpp"
#include "stiefel/world/mpi/graph_partition.hpp"
#include "stiefel/world/partition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace stiefel::cli {

namespace {

/// Fewer rows for each rank are not worth a partition: a message takes longer than its bytes.
constexpr Size least_rows_of_rank = 1000;

/// An element of a halo is packed, sent, received and read again: some four times its 8 bytes are moved.
constexpr double bytes_of_element = 32;

/// A halo that takes less than this part of what an iteration moves can be hidden behind it.
constexpr double small = 0.05;

/// What a library's partition has to send less of than the file's order, to be worth moving rows; and where multigrid
/// finds whole slabs there, of which it takes fewer iterations than of parts with ragged borders (7-point 30^3 on four
/// ranks 8 instead of 16, 60^3 on six 9 instead of 19).
constexpr double worthwhile = 0.7, worth_ragged_borders = 0.25;

/// Multigrid, whose aggregates are of rows of one rank, takes more iterations where more than this part of the rows
/// lies apart from what they are coupled to most strongly: rail_79841_negA in the file's order on four ranks, with 11
/// %, 24 instead of 17. A matrix of a grid in slabs has next to none, with jumps of its coefficients 2 %, where slabs
/// are the better (jump_diffusion3d 20 x 18 x 20 on three ranks 8 instead of 10).
constexpr double torn = 0.03;

const GraphPartitioner* library_of(const std::string& word) {
    const auto list = graph_partitioners();
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const GraphPartitioner& library) { return library.name == word; });
    return found == list.end() ? nullptr : &*found;
}

/// The one that `auto` asks for so many entries of all ranks.
const GraphPartitioner* library_for(double entries) {
    const auto list = graph_partitioners();
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const GraphPartitioner& library) { return entries <= library.most_entries; });
    if (found != list.end()) return &*found;
    return list.empty() ? nullptr : &list.back();
}

struct Sent {
    Size most = 0;  ///< elements that a rank sends in a product
    Size all = 0;
};

Sent sent_if(Ranks& ranks, const RankRows& rows, const HostVector<Index>& part) {
    const std::vector<Size> sent = elements_sent(ranks, rows.blocks, rows.rows, part);
    return {*std::max_element(sent.begin(), sent.end()), std::accumulate(sent.begin(), sent.end(), Size{0})};
}

/// Of what an iteration moves in a rank, the part that the halo of the rank that sends most takes.
double share_of_halo(Ranks& ranks, const RankRows& rows, const Sent& sent) {
    double work = 12 * static_cast<double>(rows.rows.nnz()) + 84.0 * rows.rows.n_rows();
    ranks.all_sum(&work, 1);
    return work > 0 ? bytes_of_element * static_cast<double>(sent.most) * ranks.size() / work : 0;
}

std::string in_file_order(const std::string& why) {
    return fmt::format("of the file's order{}{}", why.empty() ? "" : ", ", why);
}

bool may_be_multigrid(PreconditionerWord word, Size n_rows) {
    return word == PreconditionerWord::amg || (word == PreconditionerWord::automatic && n_rows > rows_without_amg);
}

/// What `auto` makes of the file's order before any library has been asked.
struct FileOrder {
    bool stays = false;
    std::string why = {};  ///< also where rows are to be moved, if the halo alone does not say so
    double worthwhile = cli::worthwhile;
};

FileOrder judged(Ranks& ranks, const RankRows& rows, const Sent& as_is, PreconditionerWord preconditioner,
                 const GraphPartitioner* library) {
    const Size n = rows.blocks.n_rows();
    if (n < least_rows_of_rank * ranks.size()) return {true, "as rows are few"};
    const double share = share_of_halo(ranks, rows, as_is);
    const std::string halo = fmt::format("whose halo is {:.1f} % of what an iteration moves", 100 * share);
    const bool is_for_multigrid = may_be_multigrid(preconditioner, n);
    const double apart =
        is_for_multigrid ? static_cast<double>(rows_torn(ranks, rows.blocks, rows.rows)) / static_cast<double>(n) : 0;
    const bool is_whole = apart <= torn;
    if (share <= small && is_whole) return {true, halo};
    if (library == nullptr) return {true, halo + "; this build has neither PT-Scotch nor METIS"};
    if (is_whole) return {false, "", is_for_multigrid ? worth_ragged_borders : worthwhile};
    return {false,
            fmt::format("there {:.1f} % of the rows lie apart from what they are coupled to most, which amg is slow on",
                        100 * apart)};
}

/// By the columns that ranks hold; 1 where they do not begin at nodes.
Index found_unknowns(Ranks& ranks, OpenMP& host, const RankRows& rows) {
    const SplitRows<double> split = split_rows(rows.rows, rows.blocks, ranks.rank(), host.threads());
    return amg::found_unknowns(ranks, host, rows.blocks, split.own);
}

/// Nodes go where their first unknowns do.
void keep_nodes_together(Index unknowns, HostVector<Index>& part) {
    for (Size i = 0; i < part.size() && unknowns > 1; ++i) part[i] = part[i / unknowns * unknowns];
}

}  // namespace

void check_partition(const std::string& word) {
    if (word == "auto" || word == "blocks" || library_of(word) != nullptr) return;
    std::vector<std::string_view> there{"auto", "blocks"};
    for (const GraphPartitioner& library : graph_partitioners()) there.push_back(library.name);
    throw UsageError(fmt::format("--partition {}: this Stiefel was built without it ({}); there are {}", word,
                                 word == "metis" ? "libmetis-dev" : "libptscotch-dev", fmt::join(there, ", ")));
}

void part_rows(Ranks& ranks, OpenMP& host, const ComputationWords& words, Index unknowns, RankRows& rows) {
    const std::string& word = words.partition;
    if (word == "blocks") return;
    const bool is_automatic = word == "auto";
    auto entries = static_cast<double>(rows.rows.nnz());
    ranks.all_sum(&entries, 1);
    const GraphPartitioner* const library = is_automatic ? library_for(entries) : library_of(word);
    if (rows.blocks.n_rows() < ranks.size() * Size{8}) {
        rows.reason = in_file_order("as rows are few");
        return;
    }
    const HostVector<Index> here(rows.rows.n_rows(), ranks.rank());
    const Sent as_is = sent_if(ranks, rows, here);
    FileOrder order;
    if (is_automatic) order = judged(ranks, rows, as_is, words.preconditioner, library);
    if (order.stays) {
        rows.reason = in_file_order(order.why);
        return;
    }
    HostVector<Index> part = library->partition(ranks, rows.blocks, rows.rows);
    keep_nodes_together(unknowns > 0 ? unknowns : found_unknowns(ranks, host, rows), part);
    const Sent parted = sent_if(ranks, rows, part);
    const Size element = words.precision == Precision::single ? sizeof(float) : sizeof(double);
    const std::string bytes = fmt::format("{} sends {} in a product, the file's order {}", library->name,
                                          format_bytes(parted.all * element), format_bytes(as_is.all * element));
    if (is_automatic && static_cast<double>(parted.most) > order.worthwhile * static_cast<double>(as_is.most)) {
        rows.reason = in_file_order(bytes);
        return;
    }
    PartitionedRows moved = partitioned(ranks, rows.blocks, std::move(rows.rows), part);
    rows = {.blocks = std::move(moved.blocks),
            .rows = std::move(moved.rows),
            .order = std::move(moved.before),
            .partition = std::string(library->name),
            .reason = order.why.empty() ? bytes : bytes + "; " + order.why};
}

}  // namespace stiefel::cli
