#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stiefel {

/// What the system says of a regular file. Whatever changes a file changes its ctime, which no program can set: so a
/// file of the same state holds the same bytes, unless it was changed within a tick of the clock (is_settled).
struct SourceState {
    std::uint64_t size = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t mtime = 0;  ///< last change of the content, of anything, and when this was asked: in ns since 1970
    std::int64_t ctime = 0;
    std::int64_t asked = 0;

    bool is_same(const SourceState& other) const {
        return size == other.size && device == other.device && inode == other.inode && mtime == other.mtime &&
               ctime == other.ctime;
    }
    /// Whether the file had been left alone for long enough that a later change must show.
    bool is_settled() const { return asked - ctime > 2'000'000'000; }
};

/// Nothing for what is no regular file, or is not there.
std::optional<SourceState> state_of(const std::string& path);

/// A checksum of a file's bytes: CRC-32 of those of its pieces, by so many threads. Throws FileError.
std::uint32_t checksum_of(const std::string& path, int threads);

}  // namespace stiefel
