#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"

#include <libdeflate.h>

#include <memory>

namespace stiefel {

GzipMember gunzip_member(std::span<const char> compressed, std::span<char> out) {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!decompressor) throw OutOfMemory("the gzip decompressor", 1 << 16, -1);
    GzipMember member;
    switch (libdeflate_gzip_decompress_ex(decompressor.get(), compressed.data(), compressed.size(), out.data(),
                                          out.size(), &member.consumed, &member.produced)) {
        case LIBDEFLATE_SUCCESS:
            member.status = GzipMember::Status::complete;
            break;
        case LIBDEFLATE_INSUFFICIENT_SPACE:
            member.status = GzipMember::Status::needs_space;
            break;
        default:
            member.status = GzipMember::Status::corrupt;
    }
    return member;
}

std::string gzip_member(std::string_view text) {
    constexpr int level = 6;  // gzip's own default
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
    if (!compressor) throw OutOfMemory("the gzip compressor", 1 << 20, -1);
    std::string member(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
    member.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), member.data(), member.size()));
    return member;
}

std::uint32_t crc32_of(std::span<const char> bytes) {
    return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace stiefel
