#pragma once

#include "stiefel/io/decimal.hpp"
#include "stiefel/io/digits.hpp"

#include <bit>
#include <cstdint>

namespace stiefel {

/// The quick way through lines as programs write them: fields start at once and are parted by one blank, the line ends
/// in '\n' and fits in 64 bytes, no value starts with '+' or '.', indices and the integer part of the value have at
/// most eight digits. Where the digits are is known beforehand (LineIndex), so that fields do not wait for each other.
/// Every parser returns false where the line is not a usual one; it is then to be parsed anew by other means, which
/// must read usual lines to the same numbers. The parsers must be inlined, for then all that the line holds stays in
/// registers.
class UsualLine {
public:
    /// Bit i of non_digits says that text[i] is no digit. A stop is set at the last byte: digits that reach it are
    /// followed by nothing that any parser takes.
    UsualLine(const char* text, std::uint64_t non_digits)
        : text_(text), non_digits_(non_digits | std::uint64_t{1} << 63) {}

    /// A row index from 1 to n_rows and a column index from 1 to n_cols, made zero-based, and `separator` behind them.
    [[gnu::always_inline]] bool parse_indices(Index n_rows, Index n_cols, char separator, Index& row, Index& col) {
        const int row_end = end_of_digits();
        pass(row_end);
        const int col_begin = at_;
        const int col_end = end_of_digits();
        pass(col_end);
        if (is_outside(row_end, 1, 8) || is_outside(col_end - col_begin, 1, 8)) return false;
        const auto [i, j] = two_numbers(text_, row_end, text_ + col_begin, col_end - col_begin);
        row = static_cast<Index>(i - 1);
        col = static_cast<Index>(j - 1);
        return i - 1 < static_cast<std::uint32_t>(n_rows) && j - 1 < static_cast<std::uint32_t>(n_cols) &&
               text_[row_end] == ' ' && text_[col_end] == separator;
    }

    /// A real number in its shortest notations, and the '\n' behind it.
    template <class T>
    [[gnu::always_inline]] bool parse_real(T& value) {
        const bool negative = parse_minus();
        const char* const digits = text_ + at_;
        int end = end_of_digits();
        const int n_integer = end - at_;
        int n_decimals = 0;
        if (is_outside(n_integer, 1, 8)) return false;
        if (text_[end] == '.') {
            pass(end);
            end = end_of_digits();
            n_decimals = end - at_;
            if (n_integer + n_decimals > exact_digits) return false;
        }
        const std::uint64_t significand = joined_number(digits, n_integer, n_decimals);
        int exponent = -n_decimals;
        if ((text_[end] | 0x20) == 'e') {
            pass(end);
            const bool down = parse_minus();
            if (!down && text_[at_] == '+') pass(at_);
            end = end_of_digits();
            const int count = end - at_;
            if (is_outside(count, 1, 3)) return false;
            const auto power = static_cast<int>(number_of(text_ + at_, count));
            exponent += down ? -power : power;
        }
        if (text_[end] != '\n') return false;
        return scale_exactly(significand, exponent, negative, value);
    }

    /// An integer that T holds exactly, and the '\n' behind it.
    template <class T>
    [[gnu::always_inline]] bool parse_integer(T& value) {
        const bool negative = parse_minus();
        const int end = end_of_digits();
        const int count = end - at_;
        if (is_outside(count, 1, 8) || text_[end] != '\n') return false;
        const auto magnitude = static_cast<std::int64_t>(number_of(text_ + at_, count));
        if (magnitude > std::int64_t{1} << std::numeric_limits<T>::digits) return false;
        value = static_cast<T>(negative ? -magnitude : magnitude);
        return true;
    }

private:
    static bool is_outside(int x, int least, int most) {
        return static_cast<unsigned>(x - least) > static_cast<unsigned>(most - least);
    }

    int end_of_digits() const { return std::countr_zero(non_digits_); }

    /// Goes on behind the next byte that is no digit, which is at `end`.
    void pass(int end) {
        at_ = end + 1;
        non_digits_ &= non_digits_ - 1;
    }

    bool parse_minus() {
        const bool minus = text_[at_] == '-';
        at_ += minus;
        non_digits_ &= non_digits_ - std::uint64_t{minus};
        return minus;
    }

    const char* text_;
    std::uint64_t non_digits_;
    int at_ = 0;
};

}  // namespace stiefel
