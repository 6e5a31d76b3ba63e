#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/io/input.hpp"

#include <string_view>
#include <vector>

namespace stiefel {

/// A text cut into chunks of whole lines. A chunk is copied out, guarded (decimal.hpp): it ends with '\n', which the
/// last line gets if it lacks it, and text_guard bytes behind that can be read.
class LineChunks {
public:
    /// The text from byte `begin` on. chunk_bytes is what a chunk has before it is extended to the end of its line; a
    /// chunk may be empty.
    LineChunks(const InputText& text, std::size_t begin, Size chunk_bytes);

    Size count() const { return count_; }

    /// Chunk k, in `buffer`, whose memory is used again: small enough for a cache, it makes the copy nearly free.
    /// Threads may call it at once, with a buffer each. Throws FileError.
    std::string_view read(Size k, std::vector<char>& buffer) const;

private:
    const InputText& text_;
    std::size_t begin_;
    std::size_t chunk_bytes_;
    Size count_;
};

}  // namespace stiefel
