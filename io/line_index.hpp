#pragma once

#include "stiefel/core/types.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace stiefel {

/// What a first look at a chunk finds, 64 bytes at a time: where its lines begin and where its digits are. With both
/// known beforehand no line waits for the one before, so that the processor parses several at once (the idea of
/// simdjson, Langdale and Lemire 2019).
class LineIndex {
public:
    /// Looks at a guarded text of whole lines. The memory is used again for the next.
    void build(std::string_view chunk);

    Size n_lines() const { return n_lines_; }
    Size n_entries() const { return n_entries_; }

    /// Where line k begins in the chunk, 0 <= k <= n_lines.
    std::size_t line_begin(Size k) const { return line_begin_[static_cast<std::size_t>(k)]; }
    /// The line that the byte at an offset belongs to.
    Size line_at(std::size_t offset) const;

    /// Bit i says that the byte at offset + i is no digit, 0 <= i < 64.
    std::uint64_t non_digits(std::size_t offset) const {
        const std::size_t word = offset / 64, shift = offset % 64;
        return non_digits_[word] >> shift | non_digits_[word + 1] << 1 << (63 - shift);
    }

private:
    Size n_lines_ = 0;
    Size n_entries_ = 0;
    std::vector<std::size_t> line_begin_;
    std::vector<std::uint64_t> non_digits_;
};

/// Whether a line holds an entry: it is neither blank nor a comment. It must end with '\n'.
bool is_entry_line(const char* line);

}  // namespace stiefel
