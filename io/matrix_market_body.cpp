#include "stiefel/io/matrix_market_body.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/decimal.hpp"
#include "stiefel/io/line_chunks.hpp"
#include "stiefel/io/text.hpp"
#include "stiefel/io/turnstile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <string_view>
#include <type_traits>

namespace stiefel {

namespace {

/// A chunk of the body, knowing where in the file it lies.
struct Chunk {
    std::string_view text;
    Size first_line = 0;   ///< number of its first line in the file
    Size first_entry = 0;  ///< entries in the chunks before
};

std::span<const char> body_text(const InputText& input, const ParsedHeader& parsed) {
    return input.text().subspan(parsed.body);
}

/// The exception of the earliest chunk among those that failed.
class FirstFailure {
public:
    void record(Size chunk, std::exception_ptr exception) {
        const std::scoped_lock lock(mutex_);
        if (chunk >= chunk_.load(std::memory_order_relaxed)) return;
        chunk_.store(chunk, std::memory_order_relaxed);
        exception_ = std::move(exception);
    }
    bool is_before(Size chunk) const { return chunk_.load(std::memory_order_relaxed) < chunk; }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    std::mutex mutex_;
    std::atomic<Size> chunk_{std::numeric_limits<Size>::max()};
    std::exception_ptr exception_;
};

/// Calls parse(chunk) for all chunks of the body, in parallel and in one pass over the text: a thread takes the next
/// chunk, counts its lines, which brings it into the cache, adds the counts to those of the chunks before, and parses
/// it while others count theirs. So every chunk knows its place before it is parsed, and entries go straight to where
/// they belong. Throws what the earliest chunk throws; ParseError if all hold fewer entries than the header says.
template <class ParseChunk>
void parse_chunks(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options, ParseChunk&& parse) {
    const LineChunks chunks(body_text(input, parsed), options.chunk_bytes);
    const Size n_threads = std::min<Size>(OpenMP(options.threads).threads(), chunks.count());
    Turnstile turnstile;
    FirstFailure failure;
    Size lines = parsed.body_line;
    Size entries = 0;
#pragma omp parallel num_threads(static_cast <int>(n_threads))
    for (Size k; (k = turnstile.take()) < chunks.count();) {
        Chunk chunk{chunks[k]};
        const LineCount count = count_lines(chunk.text);
        turnstile.pass(k, [&] {
            chunk.first_line = lines;
            chunk.first_entry = entries;
            lines += count.lines;
            entries += count.entries;
        });
        if (failure.is_before(k)) continue;
        try {
            parse(chunk);
        } catch (...) {
            failure.record(k, std::current_exception());
        }
        input.release(chunk.text);
    }
    failure.rethrow();
    if (entries < parsed.header.n_entries) {
        fail_at_end(
            input.text(), input.name(),
            fmt::format("expected {} entries, found {} before the end of the file", parsed.header.n_entries, entries));
    }
}

/// The entries to make room for: what the header says, if the text can hold so many at all.
Size capacity(const InputText& input, const ParsedHeader& parsed, Size shortest_line) {
    const auto bytes = static_cast<Size>(body_text(input, parsed).size());
    return std::min(parsed.header.n_entries, (bytes + 1) / shortest_line);
}

bool is_separator(char c) {
    return is_blank(c) || c == '\n';
}

/// An index that is signed, padded with many zeros, or wrong.
Index parse_unusual_index(const char*& at, Index size, std::string_view what, const TextLine& line) {
    const char* const field = at;
    std::int64_t value = 0;
    const NumberStatus status = parse_integer(at, value);
    const bool is_integer = status == NumberStatus::ok && is_separator(*at);
    if (status == NumberStatus::overflow || (is_integer && value > size)) {
        line.fail(field, fmt::format("{} index {} is past the matrix's {} {}s", what, quoted_field(field), size, what));
    }
    if (!is_integer) line.fail(field, fmt::format("expected the {} index, found {}", what, quoted_field(field)));
    if (value < 1) {
        line.fail(field, fmt::format("{} index {} is too small: {}s are counted from 1", what, value, what));
    }
    at = skip_blanks(at);
    return static_cast<Index>(value - 1);
}

/// Parses an index from 1 to size, and the blanks behind it; zero-based.
inline Index parse_index(const char*& at, Index size, std::string_view what, const TextLine& line) {
    std::uint64_t value = 0;
    const char* const end = append_digits(at, value);
    const bool usual = value - 1 < static_cast<std::uint64_t>(size) && end - at <= exact_digits && is_separator(*end);
    if (!usual) [[unlikely]]
        return parse_unusual_index(at, size, what, line);
    at = skip_blanks(end);
    return static_cast<Index>(value - 1);
}

template <class T, MatrixMarketField field>
[[noreturn]] void fail_value(NumberStatus status, const char* at, const TextLine& line) {
    constexpr bool is_integer = field == MatrixMarketField::integer;
    const std::string found = quoted_field(at);
    if (status == NumberStatus::not_finite) line.fail(at, fmt::format("expected a finite number, found {}", found));
    if (status == NumberStatus::overflow) {
        line.fail(at, fmt::format("the number {} overflows {}", found,
                                  is_integer                    ? "a 64-bit integer"
                                  : sizeof(T) == sizeof(double) ? "double precision (largest: 1.8e308)"
                                                                : "single precision (largest: 3.4e38)"));
    }
    line.fail(at, fmt::format("expected {}, found {}", is_integer ? "an integer" : "a number", found));
}

/// Parses the value of an entry, and the blanks behind it. Adds to `rounded` if it is an integer that T cannot hold.
template <class T, MatrixMarketField field>
inline T parse_value(const char*& at, const TextLine& line, Size& rounded) {
    T value = 1;
    if constexpr (field == MatrixMarketField::pattern) return value;
    const char* const begin = at;
    NumberStatus status;
    if constexpr (field == MatrixMarketField::integer) {
        std::int64_t integer = 0;
        status = parse_integer(at, integer);
        value = static_cast<T>(integer);
        // Compared in long double, which holds every 64-bit integer: 2^63 - 1 rounds to a T beyond the integers.
        rounded += static_cast<long double>(value) != static_cast<long double>(integer);
    } else {
        status = parse_real(at, value);
    }
    if (status == NumberStatus::ok && !is_separator(*at)) [[unlikely]]
        status = NumberStatus::not_a_number;
    if (status != NumberStatus::ok) [[unlikely]]
        fail_value<T, field>(status, begin, line);
    at = skip_blanks(at);
    return value;
}

/// Calls entry(line, at, number) for every line of the chunk that holds an entry, with `at` at its first field; it
/// returns where the fields end, which must be the end of the line.
template <class ParseEntry>
void parse_lines(const Chunk& chunk, const std::string& name, Size capacity, Size expected, ParseEntry&& entry) {
    Size number = chunk.first_entry;
    TextLine line{name, chunk.first_line, chunk.text.data()};
    for (const char* const end = line.begin + chunk.text.size(); line.begin != end; ++line.number) {
        const char* at = skip_blanks(line.begin);
        if (*at == '%') {
            at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
        } else if (*at != '\n') {
            if (number >= capacity) [[unlikely]] {
                line.fail(at, fmt::format("expected {} entries, found another one: {}", expected, quoted_field(at)));
            }
            at = entry(line, at, number++);
            if (*at != '\n') [[unlikely]] {
                line.fail(at, fmt::format("expected the end of the line after the entry, found {}", quoted_field(at)));
            }
        }
        line.begin = at + 1;
    }
}

template <class T, MatrixMarketField field>
void parse_coordinates(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options,
                       CoordinateBody<T>& body) {
    const MatrixMarketHeader& header = parsed.header;
    const Size n = body.row_idx.size();
    std::atomic<Size> n_upper{0}, n_lower{0}, n_rounded{0};
    parse_chunks(input, parsed, options, [&](const Chunk& chunk) {
        Size upper = 0, lower = 0, rounded = 0;
        parse_lines(chunk, input.name(), n, header.n_entries, [&](const TextLine& line, const char* at, Size e) {
            const char* const begin = at;
            const Index row = parse_index(at, header.n_rows, "row", line);
            const Index col = parse_index(at, header.n_cols, "column", line);
            upper += row < col;
            lower += row > col;
            if (row == col && header.symmetry == Symmetry::skew_symmetric) [[unlikely]] {
                line.fail(begin, fmt::format("entry ({}, {}) lies on the diagonal, which is zero in a skew-symmetric "
                                             "matrix; expected no such entry",
                                             row + 1, col + 1));
            }
            body.row_idx[e] = row;
            body.col_idx[e] = col;
            body.values[e] = parse_value<T, field>(at, line, rounded);
            return at;
        });
        n_upper += upper;
        n_lower += lower;
        n_rounded += rounded;
    });
    body.n_upper = n_upper;
    body.n_lower = n_lower;
    body.n_rounded = n_rounded;
}

template <class T, MatrixMarketField field>
void parse_values(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options, ArrayBody<T>& body) {
    std::atomic<Size> n_rounded{0};
    parse_chunks(input, parsed, options, [&](const Chunk& chunk) {
        Size rounded = 0;
        parse_lines(chunk, input.name(), body.values.size(), parsed.header.n_entries,
                    [&](const TextLine& line, const char* at, Size e) {
                        body.values[e] = parse_value<T, field>(at, line, rounded);
                        return at;
                    });
        n_rounded += rounded;
    });
    body.n_rounded = n_rounded;
}

}  // namespace

template <class T>
CoordinateBody<T> parse_coordinate_body(const InputText& input, const ParsedHeader& parsed,
                                        const ReadOptions& options) {
    using enum MatrixMarketField;
    const bool has_values = parsed.header.field != pattern;
    const Size n = capacity(input, parsed, has_values ? 6 : 4);  // "1 1 1\n", "1 1\n"
    CoordinateBody<T> body{
        .row_idx = HostVector<Index>(n), .col_idx = HostVector<Index>(n), .values = HostVector<T>(n)};
    switch (parsed.header.field) {
        case real:
            parse_coordinates<T, real>(input, parsed, options, body);
            break;
        case integer:
            parse_coordinates<T, integer>(input, parsed, options, body);
            break;
        case pattern:
            parse_coordinates<T, pattern>(input, parsed, options, body);
            break;
    }
    return body;
}

template <class T>
ArrayBody<T> parse_array_body(const InputText& input, const ParsedHeader& parsed, const ReadOptions& options) {
    using enum MatrixMarketField;
    ArrayBody<T> body{.values = HostVector<T>(capacity(input, parsed, 2))};  // "1\n"
    if (parsed.header.field == integer) {
        parse_values<T, integer>(input, parsed, options, body);
    } else {
        parse_values<T, real>(input, parsed, options, body);
    }
    return body;
}

EntryPlace find_entry(const InputText& input, const ParsedHeader& parsed, Size entry) {
    const LineChunks chunks(body_text(input, parsed), 1 << 20);
    Size line = parsed.body_line;
    for (Size k = 0; k < chunks.count(); ++k) {
        const std::string_view chunk = chunks[k];
        const LineCount count = count_lines(chunk);
        if (entry >= count.entries) {
            entry -= count.entries;
            line += count.lines;
            continue;
        }
        for (const char* at = chunk.data();; ++line) {
            if (is_entry_line(at) && entry-- == 0) return {line, skip_blanks(at) - at + 1};
            at = std::strchr(at, '\n') + 1;
        }
    }
    return {};
}

template CoordinateBody<double> parse_coordinate_body(const InputText&, const ParsedHeader&, const ReadOptions&);
template CoordinateBody<float> parse_coordinate_body(const InputText&, const ParsedHeader&, const ReadOptions&);
template ArrayBody<double> parse_array_body(const InputText&, const ParsedHeader&, const ReadOptions&);
template ArrayBody<float> parse_array_body(const InputText&, const ParsedHeader&, const ReadOptions&);

}  // namespace stiefel
