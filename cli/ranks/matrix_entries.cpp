#include "stiefel/cli/ranks/matrix_entries.hpp"

#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market_body.hpp"
#include "stiefel/io/mirrored_entries.hpp"
#include "stiefel/io/reader_notes.hpp"
#include "stiefel/io/text_kind.hpp"
#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiefel::cli {

namespace {

/// The text and its header where the ranks can share the reading of it; nothing where one of them is to read all.
struct PlainFile {
    InputText text;
    ParsedHeader header;
};
std::optional<PlainFile> open_plain_file(const std::string& path) {
    if (path == "-" || !begins_as_plain_matrix_market(path)) return {};
    InputText text = InputText::open(path, "");
    ParsedHeader header = parse_header(text);
    if (header.header.format != MatrixMarketFormat::coordinate) return {};
    return PlainFile{std::move(text), std::move(header)};
}

/// What a rank has found in its part, for the others.
struct Found {
    Size lines = 0;
    Size entries = 0;
    EntryCounts counts = {};
};

/// What all have found, and what those before this rank have.
struct FoundByAll {
    Found before = {};
    Found all = {};
};
FoundByAll add_up(Ranks& ranks, const Found& here) {
    FoundByAll sums;
    const auto add = [](const Found& found, Found& sum) {
        sum.lines += found.lines;
        sum.entries += found.entries;
        sum.counts.upper += found.counts.upper;
        sum.counts.lower += found.counts.lower;
        sum.counts.rounded += found.counts.rounded;
    };
    const std::vector<Found> found = told_to_all(ranks, here);
    for (std::size_t r = 0; r < found.size(); ++r) {
        if (static_cast<int>(r) < ranks.rank()) add(found[r], sums.before);
        add(found[r], sums.all);
    }
    return sums;
}

/// Throws, in all ranks, for the first entry in the file whose mirror image stands before it.
void refuse_mirrored(Ranks& ranks, const PlainFile& file, const CoordinateBody<double>& body, Size entries_before) {
    // Both of a pair are of one place in the lower triangle, so they meet where that is dealt out to.
    std::vector<std::vector<NumberedEntry>> dealt(static_cast<std::size_t>(ranks.size()));
    for (Size e = 0; e < body.values.size(); ++e) {
        const NumberedEntry entry{body.row_idx[e], body.col_idx[e], entries_before + e};
        dealt[static_cast<std::size_t>(entry.lower_row() % ranks.size())].push_back(entry);
    }
    std::vector<Ranks::Bytes> out;
    for (const auto& entries : dealt) out.push_back(bytes_of(std::span<const NumberedEntry>(entries)));
    std::vector<NumberedEntry> here;
    for (const Ranks::Bytes& bytes : ranks.all_to_all(out)) append_values(bytes, here);
    MirroredEntries first = find_mirrored_entries(here);
    for (const MirroredEntries& other : told_to_all(ranks, first)) {
        if (other.are_there() && (!first.are_there() || other.later.number < first.later.number)) first = other;
    }
    together(ranks, [&] {
        if (first.are_there()) refuse_mirrored_entries(file.text, file.header, first);
    });
}

EntriesOfRank read_part(Ranks& ranks, OpenMP& host, PlainFile file) {
    // Chunks as one process takes them, but so many that each rank has its share of a short file.
    constexpr Size of_rank = 4, least = 64;
    const ReadOptions whole{.threads = host.threads()};
    const Size share = static_cast<Size>(file.text.size() - file.header.body) / (of_rank * ranks.size());
    const ReadOptions options{.threads = host.threads(), .chunk_bytes = std::clamp(share, least, whole.chunk_bytes)};
    CoordinatePart<double> part;
    together(ranks, [&] {
        part = parse_coordinate_part<double>(file.text, file.header, ranks.rank(), ranks.size(), options);
    });
    const FoundByAll found = add_up(ranks, {part.n_lines, part.n_entries, part.body.counts});
    together(ranks, [&] {
        refuse_fault(file.text, file.header, part.fault, found.before.lines, found.before.entries, part.n_entries);
    });
    by_first(ranks, [&] { refuse_too_few(file.text, file.header, found.all.entries); });

    const MatrixMarketHeader& header = file.header.header;
    const EntryCounts& counts = found.all.counts;
    EntriesOfRank result;
    if (header.symmetry != Symmetry::general && counts.upper > 0) {
        if (counts.lower > 0) refuse_mirrored(ranks, file, part.body, found.before.entries);
        note_upper_triangle(counts.upper, counts.lower, result.notes);
    }
    note_rounding<double>(counts.rounded, result.notes);
    if (file.header.is_hermitian) note_hermitian(result.notes);
    result.are_integers = header.field == MatrixMarketField::integer;
    result.entries = {.n_rows = header.n_rows,
                      .n_cols = header.n_cols,
                      .symmetry = header.symmetry,
                      .row_idx = std::move(part.body.row_idx),
                      .col_idx = std::move(part.body.col_idx),
                      .values = std::move(part.body.values)};
    return result;
}

/// By the first rank; the others have none of its entries, but know its shape.
EntriesOfRank read_whole(Ranks& ranks, OpenMP& host, const std::string& path) {
    MatrixMarket<double> file;
    by_first(ranks, [&] { file = read_matrix<double>(path, {.threads = host.threads()}); });
    struct Shape {
        Index n_rows, n_cols;
        Symmetry symmetry;
        bool are_integers;
    };
    const bool are_integers = file.header.field == MatrixMarketField::integer;
    const Shape shape = told_by_first(ranks, Shape{file.coo.n_rows, file.coo.n_cols, file.coo.symmetry, are_integers});
    file.coo.n_rows = shape.n_rows;
    file.coo.n_cols = shape.n_cols;
    file.coo.symmetry = shape.symmetry;
    return {std::move(file.coo), std::move(file.notes), shape.are_integers};
}

/// Of a generated matrix that need not be symmetric, each makes as many rows as the others.
EntriesOfRank make_part(Ranks& ranks, OpenMP& host, const GeneratedMatrix& matrix) {
    EntriesOfRank made;
    together(ranks, [&] {
        const RowSource source = matrix.problem->source(matrix.arguments);
        const RowBlocks blocks = RowBlocks::even(source.n_rows, ranks.size());
        const Size first = blocks.first(ranks.rank());
        WorldRows<double> rows = source.rows(host, first, blocks.first(ranks.rank() + 1));
        Coo<double>& coo = made.entries;
        coo = {.n_rows = static_cast<Index>(source.n_rows),
               .n_cols = static_cast<Index>(source.n_cols),
               .row_idx = HostVector<Index>(rows.nnz()),
               .col_idx = HostVector<Index>(rows.nnz()),
               .values = std::move(rows.values)};
        for (Index i = 0; i < rows.n_rows(); ++i) {
            for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
                coo.row_idx[k] = static_cast<Index>(first + i);
                coo.col_idx[k] = static_cast<Index>(rows.col_idx[k]);
            }
        }
    });
    return made;
}

}  // namespace

EntriesOfRank read_entries(Ranks& ranks, OpenMP& host, const std::string& path) {
    if (is_generated(path)) return make_part(ranks, host, generated_matrix(path));
    std::optional<PlainFile> file;
    by_first(ranks, [&] { file = open_plain_file(path); });
    if (told_by_first(ranks, file.has_value() ? 1 : 0) == 0) return read_whole(ranks, host, path);
    together(ranks, [&] {
        if (!file) file = open_plain_file(path);
        if (!file) throw FileError(path, "is another file here than where the first rank is");
    });
    return read_part(ranks, host, std::move(*file));
}

}  // namespace stiefel::cli
