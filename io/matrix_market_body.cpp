#include "stiefel/io/matrix_market_body.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/field.hpp"
#include "stiefel/io/first_failure.hpp"
#include "stiefel/io/line_chunks.hpp"
#include "stiefel/io/line_index.hpp"
#include "stiefel/io/text.hpp"
#include "stiefel/io/turnstile.hpp"
#include "stiefel/io/usual_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <string_view>

namespace stiefel {

namespace {

/// A chunk of the body, knowing where in the file it lies.
struct Chunk {
    std::string_view text;
    const LineIndex& lines;
    Size first_line = 0;   ///< number of its first line in the file
    Size first_entry = 0;  ///< entries in the chunks before
};

BodyFault locate(const LineFault& fault, const Chunk& chunk, const std::string& name) {
    const auto offset = static_cast<std::size_t>(fault.at - chunk.text.data());
    const Size line = chunk.lines.line_at(offset);
    return {name, chunk.first_line + line, static_cast<Size>(offset - chunk.lines.line_begin(line)) + 1, fault.message};
}

/// The lines and entries of a stretch of the body, and what is wrong in the earliest of its chunks that is faulty.
struct Stretch {
    Size lines = 0;
    Size entries = 0;
    std::exception_ptr fault = {};
};

/// Calls parse(chunk) for chunks first up to last of the body, in parallel and in one pass over the text: a thread
/// takes the next chunk, brings it into its cache and indexes its lines, adds its counts to those of the chunks before,
/// and parses it while others index theirs. So every chunk knows its place before it is parsed, and entries go straight
/// to where they belong. Lines are numbered from first_line on, entries from 0.
template <class ParseChunk>
Stretch parse_chunks(const LineChunks& chunks, Size first, Size last, Size first_line, const std::string& name,
                     const ReadOptions& options, ParseChunk&& parse) {
    const Size n_threads = std::clamp<Size>(last - first, 1, OpenMP(options.threads).threads());
    Turnstile turnstile;
    FirstFailure failure;
    Stretch counted;
#pragma omp parallel num_threads(static_cast <int>(n_threads))
    {
        LineIndex index;
        std::vector<char> buffer;
        for (Size k; (k = turnstile.take()) < last - first;) {
            Chunk chunk{{}, index};
            // A chunk that fails here has no counts: those behind it do not know their places, and are passed over.
            failure.keep(k, [&] {
                chunk.text = chunks.read(first + k, buffer);
                index.build(chunk.text);
            });
            turnstile.pass(k, [&] {
                chunk.first_line = first_line + counted.lines;
                chunk.first_entry = counted.entries;
                counted.lines += index.n_lines();
                counted.entries += index.n_entries();
            });
            if (failure.is_before(k + 1)) continue;
            failure.keep(k, [&] {
                try {
                    parse(chunk);
                } catch (const LineFault& fault) {
                    throw locate(fault, chunk, name);
                }
            });
        }
    }
    counted.fault = failure.exception();
    return counted;
}

/// The whole body. Throws what the earliest chunk throws; ParseError if all hold fewer entries than the header says.
template <class ParseChunk>
void parse_all_chunks(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options,
                      ParseChunk&& parse) {
    const LineChunks chunks(input, parsed.body, options.chunk_bytes);
    const Stretch all = parse_chunks(chunks, 0, chunks.count(), parsed.body_line, input.name(), options, parse);
    if (all.fault) std::rethrow_exception(all.fault);
    refuse_too_few(input, parsed, all.entries);
}

/// The entries in so many bytes to make room for: what the header says, if the text can hold so many at all. One more
/// than that, so that a line which is too short to be an entry is looked at, and found to be none.
Size capacity(Size bytes, const ParsedHeader& parsed, Size shortest_line) {
    return std::min(parsed.header.n_entries, bytes / shortest_line + 1);
}
Size capacity(const InputText& input, const ParsedHeader& parsed, Size shortest_line) {
    return capacity(static_cast<Size>(input.size() - parsed.body), parsed, shortest_line);
}

constexpr Size shortest_line(MatrixMarketField field) {
    return field == MatrixMarketField::pattern ? 4 : 6;  // "1 1\n", "1 1 1\n"
}

/// Calls parse(line, i), which must be inlined, for lines first, first + 1, ... while they are usual ones, and for at
/// most n. Returns how many were.
template <class Parse>
[[gnu::always_inline]] inline Size parse_usual_lines(const Chunk& chunk, Size first, Size n, Parse parse) {
    for (Size i = 0; i < n; ++i) {
        const std::size_t begin = chunk.lines.line_begin(first + i);
        UsualLine line(chunk.text.data() + begin, chunk.lines.non_digits(begin));
        if (!parse(line, i)) return i;
    }
    return n;
}

/// Parses one line that is not a usual one. Returns whether it held an entry.
template <class Parser>
bool parse_any_line(const char* at, Size entry, Size capacity, const ParsedHeader& parsed, Parser& parser) {
    if (!is_entry_line(at)) return false;
    at = skip_blanks(at);
    if (entry >= capacity) {
        throw LineFault{at, one_entry_more(parsed, quoted_field(at))};
    }
    at = parser.parse(at, entry);
    if (*at != '\n') {
        throw LineFault{at, fmt::format("expected the end of the line after the entry, found {}", quoted_field(at))};
    }
    return true;
}

/// Parses the lines of a chunk. `parser` has two ways: parse_usual(chunk, line, n, entry) parses up to n lines while
/// they are usual ones and returns how many it did, by itself, so that the compiler has all registers for its loop (up
/// to a tenth of the time); parse(at, entry) parses any one from its first field on and returns where it ends. Returns
/// the number of the entry that comes next.
template <class Parser>
Size parse_lines(const Chunk& chunk, Size capacity, const ParsedHeader& parsed, Parser& parser) {
    Size entry = chunk.first_entry;
    for (Size line = 0; line < chunk.lines.n_lines(); ++line) {
        const Size n = std::max<Size>(0, std::min(chunk.lines.n_lines() - line, capacity - entry));
        const Size n_usual = n > 0 ? parser.parse_usual(chunk, line, n, entry) : 0;
        line += n_usual;
        entry += n_usual;
        if (line == chunk.lines.n_lines()) break;
        const char* const text = chunk.text.data() + chunk.lines.line_begin(line);
        entry += parse_any_line(text, entry, capacity, parsed, parser);
    }
    return entry;
}

template <class T, MatrixMarketField field>
class CoordinateParser {
public:
    CoordinateParser(const MatrixMarketHeader& header, CoordinateBody<T>& body) : header_(header), body_(body) {}

    [[gnu::noinline]] Size parse_usual(const Chunk& chunk, Size line, Size n, Size entry) {
        constexpr bool is_pattern = field == MatrixMarketField::pattern;
        Index* const row_idx = body_.row_idx.data() + entry;
        Index* const col_idx = body_.col_idx.data() + entry;
        T* const values = body_.values.data() + entry;
        const Index n_rows = header_.n_rows, n_cols = header_.n_cols;
        const bool is_skew = header_.symmetry == Symmetry::skew_symmetric;
        return parse_usual_lines(
            chunk, line, n, [=](UsualLine & usual, Size i) __attribute__((always_inline)) {
                Index row = 0, col = 0;
                T value = 1;
                if (!usual.parse_indices(n_rows, n_cols, is_pattern ? '\n' : ' ', row, col)) return false;
                if constexpr (!is_pattern) {
                    if (!parse_usual_value<field>(usual, value)) return false;
                }
                row_idx[i] = row;
                col_idx[i] = col;
                values[i] = value;
                return !is_skew || row != col;
            });
    }

    const char* parse(const char* at, Size entry) {
        const char* const begin = at;
        const Index row = parse_index(at, header_.n_rows, "row");
        const Index col = parse_index(at, header_.n_cols, "column");
        if (row == col && header_.symmetry == Symmetry::skew_symmetric) {
            throw LineFault{begin,
                            fmt::format("expected no entry on the diagonal, which is zero in a skew-symmetric matrix, "
                                        "found ({}, {})",
                                        row + 1, col + 1)};
        }
        body_.row_idx[entry] = row;
        body_.col_idx[entry] = col;
        body_.values[entry] = parse_value<T, field>(at, n_rounded_);
        return at;
    }

    /// What is to be known of entries [first, last), which have just been parsed and are still in the cache.
    EntryCounts counts(Size first, Size last) const {
        EntryCounts counts{.rounded = n_rounded_};
        if (header_.symmetry == Symmetry::general) return counts;
        for (Size e = first; e < last; ++e) {
            counts.upper += body_.row_idx[e] < body_.col_idx[e];
            counts.lower += body_.row_idx[e] > body_.col_idx[e];
        }
        return counts;
    }

private:
    const MatrixMarketHeader& header_;
    CoordinateBody<T>& body_;
    Size n_rounded_ = 0;
};

template <class T, MatrixMarketField field>
class ArrayParser {
public:
    ArrayParser(const MatrixMarketHeader&, ArrayBody<T>& body) : body_(body) {}

    [[gnu::noinline]] Size parse_usual(const Chunk& chunk, Size line, Size n, Size entry) {
        T* const values = body_.values.data() + entry;
        return parse_usual_lines(
            chunk, line, n, [=](UsualLine & usual, Size i) __attribute__((always_inline)) {
                return parse_usual_value<field>(usual, values[i]);
            });
    }

    const char* parse(const char* at, Size entry) {
        body_.values[entry] = parse_value<T, field>(at, n_rounded_);
        return at;
    }

    EntryCounts counts(Size, Size) const { return {.rounded = n_rounded_}; }

private:
    ArrayBody<T>& body_;
    Size n_rounded_ = 0;
};

/// Takes chunks into the body through one parser each.
template <class Parser, class Body>
auto into_body(const ParsedHeader& parsed, Size capacity, Body& body, std::mutex& mutex) {
    return [&parsed, capacity, &body, &mutex](const Chunk& chunk) {
        Parser parser(parsed.header, body);
        const Size end = parse_lines(chunk, capacity, parsed, parser);
        const EntryCounts counts = parser.counts(chunk.first_entry, end);
        const std::scoped_lock lock(mutex);
        body.counts.upper += counts.upper;
        body.counts.lower += counts.lower;
        body.counts.rounded += counts.rounded;
    };
}

/// Calls read(into) with what takes chunks into the body of a coordinate matrix.
template <class T, class Read>
void with_coordinate_parser(const ParsedHeader& parsed, Size capacity, CoordinateBody<T>& body, Read&& read) {
    using enum MatrixMarketField;
    std::mutex mutex;
    switch (parsed.header.field) {
        case real:
            return read(into_body<CoordinateParser<T, real>>(parsed, capacity, body, mutex));
        case integer:
            return read(into_body<CoordinateParser<T, integer>>(parsed, capacity, body, mutex));
        case pattern:
            return read(into_body<CoordinateParser<T, pattern>>(parsed, capacity, body, mutex));
    }
}

template <class T>
CoordinateBody<T> room_for(Size n) {
    return {.row_idx = HostVector<Index>(n), .col_idx = HostVector<Index>(n), .values = HostVector<T>(n)};
}

}  // namespace

template <class T>
CoordinateBody<T> parse_coordinate_body(const InputText& input, const ParsedHeader& parsed,
                                        const ReadOptions& options) {
    const Size n = capacity(input, parsed, shortest_line(parsed.header.field));
    CoordinateBody<T> body = room_for<T>(n);
    with_coordinate_parser(parsed, n, body, [&](auto&& into) { parse_all_chunks(input, parsed, options, into); });
    return body;
}

template <class T>
CoordinatePart<T> parse_coordinate_part(const InputText& input, const ParsedHeader& parsed, int part, int n_parts,
                                        const ReadOptions& options) {
    const LineChunks chunks(input, parsed.body, options.chunk_bytes);
    const Size first = chunks.count() * part / n_parts, last = chunks.count() * (part + 1) / n_parts;
    const Size n = capacity((last - first) * options.chunk_bytes, parsed, shortest_line(parsed.header.field));
    CoordinatePart<T> result{.body = room_for<T>(n)};
    with_coordinate_parser(parsed, n, result.body, [&](auto&& into) {
        const Stretch read = parse_chunks(chunks, first, last, 0, input.name(), options, into);
        result.n_lines = read.lines;
        result.n_entries = read.entries;
        result.fault = read.fault;
    });
    for (auto* indices : {&result.body.row_idx, &result.body.col_idx}) indices->truncate(std::min(n, result.n_entries));
    result.body.values.truncate(std::min(n, result.n_entries));
    return result;
}

template <class T>
ArrayBody<T> parse_array_body(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options) {
    using enum MatrixMarketField;
    const Size n = capacity(input, parsed, 2);  // "1\n"
    ArrayBody<T> body{.values = HostVector<T>(n)};
    std::mutex mutex;
    if (parsed.header.field == integer) {
        parse_all_chunks(input, parsed, options, into_body<ArrayParser<T, integer>>(parsed, n, body, mutex));
    } else {
        parse_all_chunks(input, parsed, options, into_body<ArrayParser<T, real>>(parsed, n, body, mutex));
    }
    return body;
}

template CoordinateBody<double> parse_coordinate_body(const InputText&, const ParsedHeader&, const ReadOptions&);
template CoordinateBody<float> parse_coordinate_body(const InputText&, const ParsedHeader&, const ReadOptions&);
template CoordinatePart<double> parse_coordinate_part(const InputText&, const ParsedHeader&, int, int,
                                                      const ReadOptions&);
template ArrayBody<double> parse_array_body(const InputText&, const ParsedHeader&, const ReadOptions&);
template ArrayBody<float> parse_array_body(const InputText&, const ParsedHeader&, const ReadOptions&);

}  // namespace stiefel
