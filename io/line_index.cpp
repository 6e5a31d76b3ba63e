#include "stiefel/io/line_index.hpp"

#include "stiefel/io/digits.hpp"
#include "stiefel/io/text.hpp"

#include <algorithm>
#include <bit>

namespace stiefel {

void LineIndex::build(std::string_view chunk) {
    const std::size_t n_blocks = (chunk.size() + 63) / 64;
    if (non_digits_.size() <= n_blocks) non_digits_.resize(n_blocks + 1);
    non_digits_[n_blocks] = ~std::uint64_t{0};
    if (line_begin_.empty()) line_begin_.resize(65);
    std::size_t n = 0;
    std::uint64_t line_starts_here = 1;  // whether the first byte of the block starts a line
    bool all_start_with_entry = true;
    for (std::size_t block = 0; block < n_blocks; ++block) {
        ByteClasses classes = classify_64(chunk.data() + 64 * block);
        if (64 * (block + 1) > chunk.size()) classes.newlines &= ~(~std::uint64_t{0} << chunk.size() % 64);
        non_digits_[block] = classes.non_digits;
        all_start_with_entry &= ((classes.newlines << 1 | line_starts_here) & classes.no_entry) == 0;
        line_starts_here = classes.newlines >> 63;
        if (line_begin_.size() < n + 65) line_begin_.resize(2 * line_begin_.size());
        for (std::uint64_t newlines = classes.newlines; newlines != 0; newlines &= newlines - 1) {
            line_begin_[++n] = 64 * block + static_cast<std::size_t>(std::countr_zero(newlines)) + 1;
        }
    }
    n_lines_ = n_entries_ = static_cast<Size>(n);
    if (all_start_with_entry) return;
    n_entries_ = std::count_if(line_begin_.begin(), line_begin_.begin() + n_lines_,
                               [&](std::size_t begin) { return is_entry_line(chunk.data() + begin); });
}

Size LineIndex::line_at(std::size_t offset) const {
    const auto begins = line_begin_.begin();
    return std::upper_bound(begins, begins + n_lines_, offset) - begins - 1;
}

bool is_entry_line(const char* line) {
    const char* const first = skip_blanks(line);
    return *first != '\n' && *first != '%';
}

}  // namespace stiefel
