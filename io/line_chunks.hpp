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
    std::size_t line_start(Size k) const;

    std::string_view main_;
    std::string tail_;
    Size chunk_bytes_;
    Size n_main_chunks_;
};

}  // namespace stiefel
