#pragma once

#include "stiefel/core/types.hpp"

#include <span>
#include <string>
#include <string_view>

namespace stiefel {

/// A text cut into chunks of whole lines, each guarded (decimal.hpp): every chunk ends with '\n', and text_guard bytes
/// behind it can be read. The last lines, behind which the text itself leaves no such bytes, are copied to where they
/// have them, and get the '\n' that they may lack.
class LineChunks {
public:
    /// chunk_bytes is what a chunk has before it is extended to the end of its line; a chunk may be empty.
    LineChunks(std::span<const char> text, Size chunk_bytes);

    Size count() const { return n_main_chunks_ + 1; }
    std::string_view operator[](Size k) const;

private:
    Size line_start(Size offset) const;

    std::string_view main_;
    std::string tail_;
    Size chunk_bytes_;
    Size n_main_chunks_;
};

/// Whether a line holds an entry: it is neither blank nor a comment. It must end with '\n'.
bool is_entry_line(const char* line);

struct LineCount {
    Size lines = 0;
    Size entries = 0;  ///< lines that hold an entry
};

/// Counts the lines of a chunk at memory speed where every line starts with its entry, else line by line.
LineCount count_lines(std::string_view chunk);

}  // namespace stiefel
