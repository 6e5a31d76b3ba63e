#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace stiefel {

namespace {

constexpr int gzip_window = 15 + 16;  // zlib's way to say: largest window, gzip wrapper

/// zlib counts in unsigned int: larger buffers are handed over in pieces.
unsigned int piece(std::size_t bytes) {
    return static_cast<unsigned int>(std::min<std::size_t>(bytes, std::numeric_limits<unsigned int>::max()));
}

Bytef* bytes_of(const char* text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text));
}

struct Stream : z_stream {
    Stream() : z_stream{} {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void give(std::span<const char> input, std::span<char> output) {
        next_in = bytes_of(input.data() + consumed);
        avail_in = piece(input.size() - consumed);
        next_out = bytes_of(output.data() + produced);
        avail_out = piece(output.size() - produced);
        given_in = avail_in;
        given_out = avail_out;
    }
    void take() {
        consumed += given_in - avail_in;
        produced += given_out - avail_out;
    }

    std::size_t consumed = 0;
    std::size_t produced = 0;
    unsigned int given_in = 0;
    unsigned int given_out = 0;
};

}  // namespace

GzipMember gunzip_member(std::span<const char> compressed, std::span<char> out) {
    Stream stream;
    if (inflateInit2(&stream, gzip_window) != Z_OK) throw OutOfMemory("the gzip decompressor", 1 << 16, -1);
    char none = 0;  // inflate wants an output buffer even for nothing
    if (out.empty()) out = {&none, 0};
    int result = Z_OK;
    while (result == Z_OK) {
        stream.give(compressed, out);
        result = inflate(&stream, Z_NO_FLUSH);
        stream.take();
    }
    inflateEnd(&stream);
    if (result == Z_STREAM_END) return {GzipMember::Status::complete, stream.consumed, stream.produced};
    const bool full = result == Z_BUF_ERROR && stream.produced == out.size() && stream.consumed < compressed.size();
    return {full ? GzipMember::Status::needs_space : GzipMember::Status::corrupt, 0, 0};
}

std::string gzip_member(std::string_view text) {
    Stream stream;
    if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw OutOfMemory("the gzip compressor", 1 << 20, -1);
    }
    std::string member(deflateBound(&stream, text.size()), '\0');
    int result = Z_OK;
    while (result == Z_OK) {
        stream.give(text, member);
        result = deflate(&stream, stream.consumed + stream.avail_in == text.size() ? Z_FINISH : Z_NO_FLUSH);
        stream.take();
    }
    deflateEnd(&stream);
    if (result != Z_STREAM_END) throw Error("gzip: zlib could not compress a piece of the output");
    member.resize(stream.produced);
    return member;
}

std::uint32_t crc32_of(std::span<const char> bytes) {
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace stiefel
