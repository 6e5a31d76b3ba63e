#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stiefel {

/// One gzip member, decompressed into memory that may turn out too small. Implemented once with libdeflate and once
/// with zlib; CMake takes the one that is there, libdeflate (about twice as fast) first.
struct GzipMember {
    enum class Status { complete, needs_space, corrupt };
    Status status = Status::corrupt;
    std::size_t consumed = 0;  ///< bytes of input, if complete
    std::size_t produced = 0;  ///< bytes of output, if complete
};

/// Decompresses the member that `compressed` starts with. needs_space says only that `out` does not hold it: the next
/// try, with more space, starts afresh. A member cut short is corrupt. Checks the member's CRC-32.
GzipMember gunzip_member(std::span<const char> compressed, std::span<char> out);

/// `text` as one gzip member. Members may follow one another in a file: gunzip of the whole gives the joined texts.
std::string gzip_member(std::string_view text);

/// The CRC-32 of gzip, of any bytes.
std::uint32_t crc32_of(std::span<const char> bytes);

}  // namespace stiefel
