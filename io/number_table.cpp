#include "stiefel/io/number_table.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/field.hpp"
#include "stiefel/io/guarded_lines.hpp"
#include "stiefel/io/text.hpp"
#include "stiefel/io/text_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiefel {

namespace {

/// Appends the numbers of a guarded line; returns how many. Throws LineFault.
template <class T>
Size append_row(const char* at, std::vector<T>& values) {
    Size n = 0;
    at = skip_blanks(at);
    while (*at != '\n' && !begins_comment(*at)) {
        T value = 0;
        const char* const field = at;
        const NumberStatus status = parse_real(at, value);
        const bool is_parted = is_blank(*at) || *at == ',' || *at == '\n';
        if (status != NumberStatus::ok || !is_parted) {
            throw LineFault{field, fmt::format("expected a finite number, found {}", quoted_field(field))};
        }
        values.push_back(value);
        ++n;
        at = skip_blanks(at);
        if (*at != ',') continue;
        at = skip_blanks(at + 1);
        if (*at == '\n') throw LineFault{at, "expected a number after the comma, found the end of the line"};
    }
    return n;
}

}  // namespace

bool is_number_table(std::string_view beginning, bool is_all) {
    if (!is_all) beginning = beginning.substr(0, beginning.rfind('\n') + 1);
    GuardedLines lines(beginning);
    std::vector<double> row;
    try {
        while (const char* line = lines.next()) {
            if (append_row(line, row) > 0) break;
            const char* const line_end = std::find(line, line + beginning.size() + 1, '\n');  // there is one
            if (mentions_matrix_market({line, static_cast<std::size_t>(line_end - line)})) return false;
        }
    } catch (const LineFault&) {
        return false;
    }
    const auto fits_index = [](double value) { return value >= 0 && value < 0x1p31 && value == std::trunc(value); };
    return !row.empty() && (row.size() != 3 || !fits_index(row[0]) || !fits_index(row[1]));
}

bool is_number_table(const InputText& input) {
    const std::string beginning = input.beginning(1 << 16);
    return is_number_table(beginning, beginning.size() == input.size());
}

template <class T>
DenseArray<T> parse_number_table(InputText& input, const ReadOptions& options) {
    const std::span<const char> bytes = input.load(options.threads);
    GuardedLines lines({bytes.data(), bytes.size()});
    std::vector<T> by_row;
    Size n_rows = 0, n_cols = 0;
    while (const char* line = lines.next()) {
        try {
            const Size n = append_row(line, by_row);
            if (n == 0) continue;
            if (n_rows++ == 0) n_cols = n;
            if (n != n_cols)
                throw LineFault{line, fmt::format("expected {} numbers as in the first row, found {}", n_cols, n)};
        } catch (const LineFault& fault) {
            throw ParseError(input.name(), lines.number(), fault.at - line + 1, fault.message);
        }
    }
    if (std::max(n_rows, n_cols) > std::numeric_limits<Index>::max()) {
        throw ParseError(input.name(), 0, 0,
                         fmt::format("holds {} x {} numbers; rows and columns are limited to {}", n_rows, n_cols,
                                     std::numeric_limits<Index>::max()));
    }
    DenseArray<T> array{static_cast<Index>(n_rows), static_cast<Index>(n_cols), HostVector<T>(n_rows * n_cols)};
    for (Size i = 0; i < n_rows; ++i) {
        for (Size j = 0; j < n_cols; ++j) {
            array.values[j * n_rows + i] = by_row[static_cast<std::size_t>(i * n_cols + j)];
        }
    }
    return array;
}

template DenseArray<double> parse_number_table(InputText&, const ReadOptions&);
template DenseArray<float> parse_number_table(InputText&, const ReadOptions&);

}  // namespace stiefel
