#include "stiefel/core/openmp.hpp"
#include "stiefel/io/harwell_boeing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/matrix_market_body.hpp"
#include "stiefel/io/mirrored_entries.hpp"
#include "stiefel/io/number_table.hpp"
#include "stiefel/io/numpy.hpp"
#include "stiefel/io/reader_notes.hpp"
#include "stiefel/io/text_kind.hpp"
#include "stiefel/io/triplet_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel {

namespace {

template <class T>
void refuse_mirrored_pair(const InputText& input, const ParsedHeader& parsed, const CoordinateBody<T>& body) {
    std::vector<NumberedEntry> entries;
    entries.reserve(static_cast<std::size_t>(body.values.size()));
    for (Size e = 0; e < body.values.size(); ++e) entries.push_back({body.row_idx[e], body.col_idx[e], e});
    const MirroredEntries pair = find_mirrored_entries(entries);
    if (pair.are_there()) refuse_mirrored_entries(input, parsed, pair);
}

/// Moves entries above the diagonal to their places below it, with the sign that the symmetry asks for.
template <class T>
void move_to_lower_triangle(CoordinateBody<T>& body, Symmetry symmetry, const ReadOptions& options) {
    const OpenMP backend(options.threads);
    const bool negate = symmetry == Symmetry::skew_symmetric;
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size e = 0; e < body.values.size(); ++e) {
        if (body.row_idx[e] >= body.col_idx[e]) continue;
        std::swap(body.row_idx[e], body.col_idx[e]);
        if (negate) body.values[e] = -body.values[e];
    }
}

template <class T>
void use_lower_triangle(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options,
                        CoordinateBody<T>& body, std::vector<std::string>& notes) {
    if (parsed.header.symmetry == Symmetry::general || body.counts.upper == 0) return;
    if (body.counts.lower > 0) refuse_mirrored_pair(input, parsed, body);
    move_to_lower_triangle(body, parsed.header.symmetry, options);
    note_upper_triangle(body.counts.upper, body.counts.lower, notes);
}

/// Row and column numbers of an array's values: column by column, of the lower triangle if it is symmetric.
template <class T>
Coo<T> coo_from_array(const MatrixMarketHeader& header, HostVector<T> values, const ReadOptions& options) {
    const OpenMP backend(options.threads);
    const Size n = header.n_rows;
    const Size skip = header.symmetry == Symmetry::skew_symmetric ? 1 : 0;
    const bool is_general = header.symmetry == Symmetry::general;
    Coo<T> coo{.n_rows = header.n_rows,
               .n_cols = header.n_cols,
               .symmetry = header.symmetry,
               .row_idx = HostVector<Index>(values.size()),
               .col_idx = HostVector<Index>(values.size()),
               .values = std::move(values)};
    if (coo.values.empty()) return coo;  // such as 0 rows of 2^31 - 1 columns
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Index j = 0; j < header.n_cols; ++j) {
        const Size first_row = is_general ? 0 : j + skip;
        // Columns 0 to j-1 of a triangle hold n - skip, n - skip - 1, ... entries.
        Size e = is_general ? j * n : j * (n - skip) - Size{j} * (j - 1) / 2;
        for (Size i = first_row; i < n; ++i, ++e) {
            coo.row_idx[e] = static_cast<Index>(i);
            coo.col_idx[e] = j;
        }
    }
    return coo;
}

/// The full array of a symmetric one.
template <class T>
HostVector<T> expand_triangle(const MatrixMarketHeader& header, const HostVector<T>& triangle) {
    const Size n = header.n_rows;
    const bool is_skew = header.symmetry == Symmetry::skew_symmetric;
    HostVector<T> full(n * n);
    Size e = 0;
    for (Size j = 0; j < n; ++j) {
        if (is_skew) full[j * n + j] = 0;
        for (Size i = is_skew ? j + 1 : j; i < n; ++i, ++e) {
            full[i * n + j] = is_skew ? -triangle[e] : triangle[e];
            full[j * n + i] = triangle[e];
        }
    }
    return full;
}

template <class T>
MatrixMarket<T> parse_matrix_market(const InputText& input, const ReadOptions& options) {
    ParsedHeader parsed = parse_header(input);
    MatrixMarket<T> result;
    const MatrixMarketHeader& header = parsed.header;
    if (header.format == MatrixMarketFormat::array) {
        ArrayBody<T> body = parse_array_body<T>(input, parsed, options);
        note_rounding<T>(body.counts.rounded, result.notes);
        result.coo = coo_from_array(header, std::move(body.values), options);
    } else {
        CoordinateBody<T> body = parse_coordinate_body<T>(input, parsed, options);
        use_lower_triangle(input, parsed, options, body, result.notes);
        note_rounding<T>(body.counts.rounded, result.notes);
        result.coo = {.n_rows = header.n_rows,
                      .n_cols = header.n_cols,
                      .symmetry = header.symmetry,
                      .row_idx = std::move(body.row_idx),
                      .col_idx = std::move(body.col_idx),
                      .values = std::move(body.values)};
    }
    if (parsed.is_hermitian) note_hermitian(result.notes);
    result.header = std::move(parsed.header);
    return result;
}

template <class T>
MatrixMarket<T> parse_matrix_of_any_kind(InputText input, const ReadOptions& options) {
    switch (kind_of(input)) {
        case TextKind::harwell_boeing:
            return parse_harwell_boeing<T>(input, options);
        case TextKind::triplets:
            return parse_triplet_text<T>(input, options);
        case TextKind::numpy:
            throw ParseError(input.name(), 0, 0,
                             fmt::format("holds a dense array (NumPy); expected a sparse matrix: in Python "
                                         "scipy.io.mmwrite('A.mtx', scipy.sparse.csr_matrix(numpy.load('{}')))",
                                         input.name()));
        case TextKind::matrix_market:
            break;
    }
    return parse_matrix_market<T>(input, options);
}

template <class T>
DenseArray<T> parse_array_text(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options) {
    const MatrixMarketHeader& header = parsed.header;
    if (header.format != MatrixMarketFormat::array) {
        throw ParseError(input.name(), 0, 0, "is a coordinate matrix; expected an array");
    }
    HostVector<T> values = parse_array_body<T>(input, parsed, options).values;
    if (header.symmetry != Symmetry::general) values = expand_triangle(header, values);
    return {header.n_rows, header.n_cols, std::move(values)};
}

/// Where vectors may have any number of columns, or rows.
constexpr Index any = -1;

void check_shape(const std::string& name, Size line, Index found_rows, Index found_cols, Index n_rows, Index n_cols,
                 bool is_array) {
    const bool columns_fit = n_cols != any || !is_array ? found_cols == 1 : found_cols >= 1;
    if (columns_fit && (n_rows == any || found_rows == n_rows)) return;
    const std::string rows = n_rows != any ? fmt::format("{} rows and ", n_rows) : "";
    const char* const columns = n_cols != any ? "a vector of {}1 column"
                                : is_array    ? "an array of {}at least 1 column"
                                              : "an array, or a coordinate matrix of {}1 column";
    throw ParseError(
        name, line, 0,
        fmt::format("expected {}, found {} x {}", fmt::format(fmt::runtime(columns), rows), found_rows, found_cols));
}

/// Vectors of n_rows, n_cols (1 or any) of them.
template <class T>
DenseArray<T> parse_vectors_text(InputText input, Index n_rows, Index n_cols, const ReadOptions& options) {
    if (kind_of(input) == TextKind::numpy) {
        const NumpyHeader header = parse_numpy_header(input);
        check_shape(input.name(), 0, header.n_rows, header.n_cols, n_rows, n_cols, true);
        return parse_numpy<T>(input, header, options);
    }
    if (is_number_table(input)) {
        DenseArray<T> table = parse_number_table<T>(input, options);
        check_shape(input.name(), 0, table.n_rows, table.n_cols, n_rows, n_cols, true);
        return table;
    }
    const ParsedHeader parsed = parse_header(input);
    const MatrixMarketHeader& header = parsed.header;
    const bool is_array = header.format == MatrixMarketFormat::array;
    check_shape(input.name(), parsed.body_line - 1, header.n_rows, header.n_cols, n_rows, n_cols, is_array);
    if (is_array) return parse_array_text<T>(input, parsed, options);
    const CoordinateBody<T> body = parse_coordinate_body<T>(input, parsed, options);
    HostVector<T> vector(header.n_rows, T{0});
    for (Size e = 0; e < body.values.size(); ++e) vector[body.row_idx[e]] += body.values[e];
    return {header.n_rows, 1, std::move(vector)};
}

template <class T>
DenseArray<T> parse_array_of_any_kind(InputText input, const ReadOptions& options) {
    if (kind_of(input) == TextKind::numpy) return parse_numpy<T>(input, parse_numpy_header(input), options);
    if (is_number_table(input)) return parse_number_table<T>(input, options);
    return parse_array_text<T>(input, parse_header(input), options);
}

std::string suffix_of(const ReadOptions& options, const char* otherwise) {
    return options.archive_suffix.empty() ? otherwise : options.archive_suffix;
}

}  // namespace

template <class T>
MatrixMarket<T> read_matrix(const std::string& path, const ReadOptions& options) {
    return parse_matrix_of_any_kind<T>(InputText::open(path, suffix_of(options, "")), options);
}

template <class T>
MatrixMarket<T> parse_matrix(std::span<const char> bytes, const std::string& name, const ReadOptions& options) {
    return parse_matrix_of_any_kind<T>(InputText::from_memory(bytes, name, suffix_of(options, "")), options);
}

template <class T>
DenseArray<T> read_array(const std::string& path, const ReadOptions& options) {
    return parse_array_of_any_kind<T>(InputText::open(path, suffix_of(options, "_b"), Wanted::vectors), options);
}

template <class T>
DenseArray<T> parse_array(std::span<const char> bytes, const std::string& name, const ReadOptions& options) {
    return parse_array_of_any_kind<T>(InputText::from_memory(bytes, name, suffix_of(options, "_b"), Wanted::vectors),
                                      options);
}

template <class T>
HostVector<T> read_vector(const std::string& path, Index n_rows, const ReadOptions& options) {
    return parse_vectors_text<T>(InputText::open(path, suffix_of(options, "_b"), Wanted::vectors), n_rows, 1, options)
        .values;
}

template <class T>
HostVector<T> parse_vector(std::span<const char> bytes, const std::string& name, Index n_rows,
                           const ReadOptions& options) {
    return parse_vectors_text<T>(InputText::from_memory(bytes, name, suffix_of(options, "_b"), Wanted::vectors), n_rows,
                                 1, options)
        .values;
}

template <class T>
DenseArray<T> read_vectors(const std::string& path, Index n_rows, const ReadOptions& options) {
    return parse_vectors_text<T>(InputText::open(path, suffix_of(options, "_b"), Wanted::vectors), n_rows, any,
                                 options);
}

template <class T>
DenseArray<T> read_points(const std::string& path, const ReadOptions& options) {
    InputText input = InputText::open(path, suffix_of(options, "_coord"), Wanted::vectors);
    const std::string beginning = input.beginning(256);
    const bool has_banner = mentions_matrix_market(std::string_view(beginning).substr(0, beginning.find('\n')));
    if (has_banner || kind_of(input) == TextKind::numpy) return parse_array_of_any_kind<T>(std::move(input), options);
    return parse_number_table<T>(input, options);
}

template MatrixMarket<double> read_matrix(const std::string&, const ReadOptions&);
template MatrixMarket<float> read_matrix(const std::string&, const ReadOptions&);
template MatrixMarket<double> parse_matrix(std::span<const char>, const std::string&, const ReadOptions&);
template MatrixMarket<float> parse_matrix(std::span<const char>, const std::string&, const ReadOptions&);
template DenseArray<double> read_array(const std::string&, const ReadOptions&);
template DenseArray<float> read_array(const std::string&, const ReadOptions&);
template DenseArray<double> parse_array(std::span<const char>, const std::string&, const ReadOptions&);
template DenseArray<float> parse_array(std::span<const char>, const std::string&, const ReadOptions&);
template HostVector<double> read_vector(const std::string&, Index, const ReadOptions&);
template HostVector<float> read_vector(const std::string&, Index, const ReadOptions&);
template DenseArray<double> read_vectors(const std::string&, Index, const ReadOptions&);
template DenseArray<float> read_vectors(const std::string&, Index, const ReadOptions&);
template DenseArray<double> read_points(const std::string&, const ReadOptions&);
template HostVector<double> parse_vector(std::span<const char>, const std::string&, Index, const ReadOptions&);
template HostVector<float> parse_vector(std::span<const char>, const std::string&, Index, const ReadOptions&);

}  // namespace stiefel
