#include "stiefel/io/harwell_boeing.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"
#include "stiefel/io/harwell_boeing_header.hpp"
#include "stiefel/io/reader_notes.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace stiefel {

namespace {

/// Hands out the fields of the lines of numbers one by one, without the blanks around them.
class CardReader {
public:
    CardReader(std::string_view text, Size first_line, const std::string& name)
        : text_(text), name_(name), line_number_(first_line - 1) {}

    /// What comes next starts on a new line, in this format. `what` it is: for messages.
    void begin(const FortranFormat& format, std::string_view what) {
        format_ = &format;
        what_ = what;
        field_ = format.fields.size();
    }

    std::string_view next() {
        if (field_ == format_->fields.size()) next_line();
        const FortranFormat::Field field = format_->fields[field_++];
        column_ = std::min(field.begin, line_.size());
        std::string_view found = line_.substr(column_, field.width);
        while (!found.empty() && is_blank(found.front())) {
            found.remove_prefix(1);
            ++column_;
        }
        while (!found.empty() && is_blank(found.back())) found.remove_suffix(1);
        if (found.empty()) fail(fmt::format("expected {}, found blanks", what_));
        return found;
    }

    Size integer(Size least, Size most) {
        const std::string_view field = next();
        const std::string_view digits = field.substr(field.front() == '+');
        Size value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || value < least || value > most) {
            fail(fmt::format("expected {} from {} to {}, found '{}'", what_, least, most, shown(field)));
        }
        return value;
    }

    template <class T>
    T real() {
        const std::string_view field = next();
        const std::string text = with_point(field);
        const char* at = text.c_str();
        T value = 0;
        const NumberStatus status = parse_real(at, value);
        if (status == NumberStatus::not_finite) fail(fmt::format("expected a finite number, found '{}'", shown(field)));
        if (status == NumberStatus::overflow) {
            fail(fmt::format("the number '{}' overflows {} precision", shown(field),
                             sizeof(T) == 8 ? "double" : "single"));
        }
        if (status != NumberStatus::ok || *at != '\n') fail(fmt::format("expected a number, found '{}'", shown(field)));
        return value;
    }

    /// At the field that next() gave last.
    [[noreturn]] void fail(std::string_view message) const {
        throw ParseError(name_, line_number_, static_cast<Size>(column_) + 1, message);
    }

private:
    static std::string shown(std::string_view field) {
        std::string text(field);
        for (char& c : text) {
            if (c < ' ' || c > '~') c = '?';
        }
        return text;
    }

    void next_line() {
        if (offset_ >= text_.size()) {
            column_ = 0;
            ++line_number_;
            fail(fmt::format("expected {}, found the end of the file", what_));
        }
        const std::size_t end = std::min(text_.find('\n', offset_), text_.size());
        line_ = text_.substr(offset_, end - offset_);
        offset_ = std::min(end + 1, text_.size());
        ++line_number_;
        field_ = 0;
    }

    /// A number as parse_real takes it, guarded: with the point where the format says that one is meant, and with the
    /// exponent's letter, which Fortran leaves out before three digits (1.5-101).
    std::string with_point(std::string_view field) const {
        const std::size_t end = std::min(field.find_first_of("eEdD+-", 1), field.size());
        std::string text(field.substr(0, end));
        const auto decimals = static_cast<std::size_t>(format_->decimals);
        const std::size_t sign = text.front() == '+' || text.front() == '-';
        if (decimals > 0 && text.find_first_not_of("0123456789", sign) == text.npos) {
            if (text.size() - sign <= decimals) text.insert(sign, decimals + 1 - (text.size() - sign), '0');
            text.insert(text.size() - decimals, 1, '.');
        }
        if (end < field.size()) {
            if (field[end] == '+' || field[end] == '-') text += 'e';
            text += field.substr(end);
        } else if (format_->scale != 0) {
            text += fmt::format("e{}", -format_->scale);
        }
        text += '\n';
        text.append(text_guard, '\0');
        return text;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t offset_ = 0;
    std::string_view line_;
    std::size_t column_ = 0;
    Size line_number_;
    const FortranFormat* format_ = nullptr;
    std::string_view what_;
    std::size_t field_ = 0;
};

/// Column numbers of the entries, from the pointers.
HostVector<Index> read_columns(CardReader& cards, const HarwellBoeingHeader& header) {
    HostVector<Index> col_idx(header.matrix.n_entries);
    cards.begin(header.pointers, "a pointer");
    Size begin = cards.integer(1, 1) - 1;
    for (Index j = 0; j < header.matrix.n_cols; ++j) {
        const Size end = cards.integer(begin + 1, header.matrix.n_entries + 1) - 1;
        std::fill(col_idx.data() + begin, col_idx.data() + end, j);
        begin = end;
    }
    if (begin != header.matrix.n_entries) {
        cards.fail(fmt::format("expected the last pointer to be {}, one more than the entries, found {}",
                               header.matrix.n_entries + 1, begin + 1));
    }
    return col_idx;
}

/// Row numbers, all in one triangle if that is all there is to be; sets which.
HostVector<Index> read_rows(CardReader& cards, const HarwellBoeingHeader& header, const HostVector<Index>& col_idx,
                            bool& is_upper) {
    HostVector<Index> row_idx(header.matrix.n_entries);
    const bool is_half = header.matrix.symmetry != Symmetry::general;
    const bool is_skew = header.matrix.symmetry == Symmetry::skew_symmetric;
    bool is_lower = is_upper = false;
    cards.begin(header.indices, "a row index");
    for (Size e = 0; e < row_idx.size(); ++e) {
        row_idx[e] = static_cast<Index>(cards.integer(1, header.matrix.n_rows) - 1);
        if (!is_half) continue;
        (row_idx[e] < col_idx[e] ? is_upper : is_lower) |= row_idx[e] != col_idx[e];
        if (is_upper && is_lower) {
            cards.fail(
                fmt::format("entry ({}, {}) lies in the other triangle than those before; expected only one "
                            "triangle of a symmetric matrix",
                            row_idx[e] + 1, col_idx[e] + 1));
        }
        if (is_skew && row_idx[e] == col_idx[e]) {
            cards.fail("expected no entry on the diagonal, which is zero in a skew-symmetric matrix");
        }
    }
    return row_idx;
}

template <class T>
HostVector<T> read_values(CardReader& cards, const HarwellBoeingHeader& header, Size& n_rounded) {
    HostVector<T> values(header.matrix.n_entries);
    if (header.matrix.field == MatrixMarketField::pattern) {
        std::fill(values.begin(), values.end(), T{1});
        return values;
    }
    cards.begin(header.values, "a value");
    for (T& value : values) {
        if (header.matrix.field == MatrixMarketField::real) {
            value = cards.real<T>();
            continue;
        }
        const Size integer = cards.integer(std::numeric_limits<Size>::min(), std::numeric_limits<Size>::max());
        value = static_cast<T>(integer);
        n_rounded += static_cast<long double>(value) != static_cast<long double>(integer);
    }
    return values;
}

/// The numbers that are announced take at least a byte each: not believed where there is no room for them.
void check_room(const HarwellBoeingHeader& header, std::size_t bytes, const std::string& name) {
    const MatrixMarketHeader& matrix = header.matrix;
    const auto room = static_cast<Size>(bytes);
    if (matrix.n_cols < room && matrix.n_entries < room - matrix.n_cols) return;
    throw ParseError(name, 3, 0,
                     fmt::format("expected {} columns and {} entries, which {} bytes of text cannot hold; the file is "
                                 "cut short",
                                 matrix.n_cols, matrix.n_entries, bytes));
}

}  // namespace

template <class T>
MatrixMarket<T> parse_harwell_boeing(InputText& input, const ReadOptions& options) {
    const std::span<const char> bytes = input.load(options.threads);
    const std::string_view text(bytes.data(), bytes.size());
    HarwellBoeingHeader header = *parse_harwell_boeing_header(text, true, input.name());
    check_room(header, text.size() - header.body, input.name());

    CardReader cards(text.substr(header.body), header.body_line, input.name());
    MatrixMarket<T> result;
    Size n_rounded = 0;
    bool is_upper = false;
    Coo<T>& coo = result.coo;
    coo.n_rows = header.matrix.n_rows;
    coo.n_cols = header.matrix.n_cols;
    coo.symmetry = header.matrix.symmetry;
    coo.col_idx = read_columns(cards, header);
    coo.row_idx = read_rows(cards, header, coo.col_idx, is_upper);
    coo.values = read_values<T>(cards, header, n_rounded);
    result.notes.emplace_back("read as Harwell-Boeing (Rutherford-Boeing) text");
    if (is_upper) {
        std::swap(coo.row_idx, coo.col_idx);
        if (coo.symmetry == Symmetry::skew_symmetric) {
            for (T& value : coo.values) value = -value;
        }
        result.notes.emplace_back("the file lists the upper triangle; it was mirrored");
    }
    if (header.has_rhs) {
        result.notes.emplace_back(
            "the right-hand sides in it were not read; --rhs takes them from a file of their own");
    }
    note_rounding<T>(n_rounded, result.notes);
    result.header = std::move(header.matrix);
    return result;
}

template MatrixMarket<double> parse_harwell_boeing(InputText&, const ReadOptions&);
template MatrixMarket<float> parse_harwell_boeing(InputText&, const ReadOptions&);

}  // namespace stiefel
