#include "stiefel/io/triplet_text.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"
#include "stiefel/io/field.hpp"
#include "stiefel/io/guarded_lines.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stiefel {

namespace {

template <class T>
struct Triplet {
    Size row = 0;
    Size col = 0;
    T value = 0;
};

Size parse_position(const char*& at, std::string_view what) {
    const char* const field = at;
    std::int64_t index = 0;
    const NumberStatus status = parse_integer(at, index);
    const bool is_whole = status == NumberStatus::ok && (is_blank(*at) || *at == '\n');
    if (!is_whole || index < 0 || index > std::numeric_limits<Index>::max()) {
        throw LineFault{field, fmt::format("expected the {} index (up to {}) of a line 'i j value', found {}", what,
                                           std::numeric_limits<Index>::max(), quoted_field(field))};
    }
    at = skip_blanks(at);
    return index;
}

/// The entry in a guarded line; false if it holds none.
template <class T>
bool parse_triplet(const char* at, Triplet<T>& triplet) {
    at = skip_blanks(at);
    if (*at == '\n' || begins_comment(*at)) return false;
    triplet.row = parse_position(at, "row");
    triplet.col = parse_position(at, "column");
    Size n_rounded = 0;
    triplet.value = parse_value<T, MatrixMarketField::real>(at, n_rounded);
    if (*at != '\n' && !begins_comment(*at)) {
        throw LineFault{at, fmt::format("expected the end of the line after the entry, found {}", quoted_field(at))};
    }
    return true;
}

/// Entries with their indices as written, and between what these lie.
template <class T>
struct Triplets {
    HostVector<Index> rows;
    HostVector<Index> cols;
    HostVector<T> values;
    Size n = 0;
    Size least = std::numeric_limits<Size>::max();
    Size most_row = 0;
    Size most_col = 0;
    bool has_upper = false;
    bool has_lower = false;

    void add(const Triplet<T>& triplet) {
        rows[n] = static_cast<Index>(triplet.row);
        cols[n] = static_cast<Index>(triplet.col);
        values[n++] = triplet.value;
    }
    void measure(const Triplet<T>& triplet) {
        least = std::min({least, triplet.row, triplet.col});
        most_row = std::max(most_row, triplet.row);
        most_col = std::max(most_col, triplet.col);
        has_upper |= triplet.row < triplet.col;
        has_lower |= triplet.row > triplet.col;
    }
    void drop_first() {
        --n;
        std::copy_n(rows.begin() + 1, n, rows.begin());
        std::copy_n(cols.begin() + 1, n, cols.begin());
        std::copy_n(values.begin() + 1, n, values.begin());
    }
};

/// Whether the first line says "rows columns entries" of the others, which have been measured.
template <class T>
bool is_size_line(const Triplet<T>& first, const Triplets<T>& others) {
    const Size beyond = others.least == 0 ? 1 : 0;
    return first.value == static_cast<T>(others.n - 1) && others.most_row + beyond <= first.row &&
           others.most_col + beyond <= first.col;
}

template <class T>
MatrixMarket<T> finished(Triplets<T>& triplets, const Triplet<T>& first) {
    const bool has_sizes = is_size_line(first, triplets);
    has_sizes ? triplets.drop_first() : triplets.measure(first);
    const bool from_zero = triplets.n > 0 && triplets.least == 0;
    const Size beyond = from_zero ? 1 : 0;
    const auto n_rows = static_cast<Index>(has_sizes ? first.row : triplets.most_row + beyond);
    const auto n_cols = static_cast<Index>(has_sizes ? first.col : triplets.most_col + beyond);
    if (!from_zero) {
        for (Size e = 0; e < triplets.n; ++e) {
            --triplets.rows[e];
            --triplets.cols[e];
        }
    }
    triplets.rows.truncate(triplets.n);
    triplets.cols.truncate(triplets.n);
    triplets.values.truncate(triplets.n);
    MatrixMarket<T> result;
    result.header.n_rows = n_rows;
    result.header.n_cols = n_cols;
    result.header.n_entries = triplets.n;
    result.coo = {.n_rows = n_rows,
                  .n_cols = n_cols,
                  .row_idx = std::move(triplets.rows),
                  .col_idx = std::move(triplets.cols),
                  .values = std::move(triplets.values)};
    result.notes.push_back(fmt::format("read as lines 'i j value' counted from {}; {} x {} by {}", from_zero ? 0 : 1,
                                       n_rows, n_cols, has_sizes ? "its first line" : "its largest indices"));
    if (triplets.has_upper != triplets.has_lower) {
        result.notes.push_back(fmt::format(
            "all entries lie in one triangle; if it stands for a symmetric matrix, put two lines before them: "
            "'%%MatrixMarket matrix coordinate real symmetric' and '{} {} {}'{}",
            n_rows, n_cols, triplets.n, from_zero ? ", and count from 1" : ""));
    }
    return result;
}

}  // namespace

template <class T>
MatrixMarket<T> parse_triplet_text(InputText& input, const ReadOptions& options) {
    const std::span<const char> bytes = input.load(options.threads);
    const Size capacity = static_cast<Size>(bytes.size()) / 6 + 2;  // "1 1 1\n"
    Triplets<T> triplets{
        .rows = HostVector<Index>(capacity), .cols = HostVector<Index>(capacity), .values = HostVector<T>(capacity)};
    GuardedLines lines({bytes.data(), bytes.size()});
    Triplet<T> first, triplet;
    while (const char* line = lines.next()) {
        try {
            if (!parse_triplet(line, triplet)) continue;
        } catch (const LineFault& fault) {
            throw ParseError(input.name(), lines.number(), fault.at - line + 1, fault.message);
        }
        if (triplets.n == 0) {
            first = triplet;
        } else {
            triplets.measure(triplet);
        }
        triplets.add(triplet);
    }
    return finished(triplets, first);
}

template MatrixMarket<double> parse_triplet_text(InputText&, const ReadOptions&);
template MatrixMarket<float> parse_triplet_text(InputText&, const ReadOptions&);

}  // namespace stiefel
