#include "stiefel/io/gunzip.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace stiefel {

namespace {

/// Deflate makes at most 258 bytes of two bits.
constexpr std::size_t largest_expansion = 1032;
constexpr std::size_t shortest_member = 18;

/// What a decompressor that runs out of space may leave unwritten at the end: one stored block, and a match.
constexpr std::size_t unwritten = (1 << 16) + 512;

bool starts_with_member(std::span<const char> bytes) {
    return is_gzip({bytes.data(), bytes.size()});
}

/// The size that the end of a gzip file claims: right (modulo 2^32) for a file of one member, a first guess for all.
std::size_t claimed_size(std::span<const char> compressed) {
    std::uint32_t size = 0;
    for (std::size_t i = 1; i <= 4; ++i)
        size = size << 8 | static_cast<unsigned char>(compressed[compressed.size() - i]);
    return size;
}

}  // namespace

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b");
}

std::string gunzip_beginning(std::span<const char> compressed) {
    constexpr std::size_t wanted = 1 << 15;
    std::string text;
    while (text.size() < wanted && starts_with_member(compressed)) {
        std::string more(wanted + unwritten, '\0');
        const GzipMember member = gunzip_member(compressed, more);
        if (member.status == GzipMember::Status::corrupt) break;
        const bool is_complete = member.status == GzipMember::Status::complete;
        text.append(more, 0, is_complete ? member.produced : wanted);
        if (is_complete) compressed = compressed.subspan(member.consumed);
    }
    return text;
}

Mapping gunzip(std::span<const char> compressed, const std::string& name, Wanted wanted) {
    if (compressed.size() < shortest_member) throw ParseError(name, 0, 0, "the gzip data is cut short");
    StreamLimit limit(name, wanted);
    limit.look(compressed);
    const std::size_t most = largest_expansion * compressed.size();
    const std::size_t first_guess = std::max(claimed_size(compressed), 4 * compressed.size());
    Mapping memory = Mapping::zeros(room_for_text(std::min({most, limit.most(), first_guess}), 0, name));
    std::size_t size = 0;
    while (starts_with_member(compressed)) {
        const GzipMember member = gunzip_member(compressed, memory.bytes().subspan(size));
        if (member.status == GzipMember::Status::complete) {
            size += member.produced;
            compressed = compressed.subspan(member.consumed);
            continue;
        }
        if (member.status == GzipMember::Status::corrupt || memory.size() >= most) {
            throw ParseError(name, 0, 0,
                             fmt::format("the gzip data is corrupt or cut short (after {} bytes of good text)", size));
        }
        if (memory.size() > unwritten) limit.look(memory.bytes().first(memory.size() - unwritten));
        if (memory.size() >= limit.most()) limit.refuse();
        memory.resize(room_for_text(std::min({most, limit.most(), 2 * memory.size()}), memory.size(), name));
    }
    if (std::any_of(compressed.begin(), compressed.end(), [](char c) { return c != '\0'; })) {
        throw ParseError(name, 0, 0, fmt::format("{} bytes that are not gzip follow the gzip data", compressed.size()));
    }
    memory.resize(size);
    return memory;
}

}  // namespace stiefel
