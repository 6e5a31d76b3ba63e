#include "stiefel/io/tar.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace stiefel {

namespace {

constexpr std::size_t block = tar_block;

using Header = std::span<const char, block>;

std::string_view text_field(Header header, std::size_t offset, std::size_t length) {
    const std::string_view field(header.data() + offset, length);
    return field.substr(0, std::min(field.find('\0'), length));
}

/// Octal digits between blanks, or the big-endian number that GNU writes for sizes beyond 8 GiB. -1 if neither.
Size number_field(Header header, std::size_t offset, std::size_t length) {
    Size value = 0;
    if (static_cast<unsigned char>(header[offset]) == 0x80) {
        for (std::size_t i = length - 8; i < length; ++i) {
            if (value >= Size{1} << 55) return -1;
            value = value * 256 + static_cast<unsigned char>(header[offset + i]);
        }
        return value;
    }
    std::string_view digits = text_field(header, offset, length);
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    digits = digits.substr(0, digits.find(' '));
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
    return error == std::errc{} && rest == digits.data() + digits.size() && value >= 0 ? value : -1;
}

bool checksum_holds(Header header) {
    constexpr std::size_t offset = 148;
    Size sum = 8 * ' ';  // the checksum counts itself as blanks
    for (std::size_t i = 0; i < block; ++i) {
        if (i < offset || i >= offset + 8) sum += static_cast<unsigned char>(header[i]);
    }
    return number_field(header, offset, 8) == sum;
}

/// The path among the records "LENGTH KEY=VALUE\n" of a pax header; empty if it names none.
std::string pax_path(std::string_view records) {
    std::string path;
    while (!records.empty()) {
        std::size_t length = 0;
        const auto [rest, error] = std::from_chars(records.data(), records.data() + records.size(), length);
        const auto digits = static_cast<std::size_t>(rest - records.data());
        if (error != std::errc{} || length <= digits + 1 || length > records.size()) break;
        const std::string_view record = records.substr(digits + 1, length - digits - 2);
        if (record.starts_with("path=")) path = record.substr(5);
        records.remove_prefix(length);
    }
    return path;
}

std::string ustar_name(Header header) {
    const std::string name(text_field(header, 0, 100));
    if (text_field(header, 257, 5) != "ustar") return name;
    const std::string_view prefix = text_field(header, 345, 155);
    return prefix.empty() ? name : fmt::format("{}/{}", prefix, name);
}

}  // namespace

bool is_tar(std::span<const char> bytes) {
    return bytes.size() >= block && checksum_holds(bytes.first<block>());
}

std::vector<TarMember> list_tar(std::span<const char> bytes, const std::string& archive) {
    std::vector<TarMember> members;
    std::string long_name;
    std::size_t offset = 0;
    // Two blocks of zeros end an archive; some writers leave them out.
    while (offset + block <= bytes.size() && bytes[offset] != '\0') {
        const Header header = bytes.subspan(offset).first<block>();
        const Size size = number_field(header, 124, 12);
        if (!checksum_holds(header) || size < 0) {
            throw ParseError(archive, 0, 0,
                             fmt::format("the tar archive is damaged: no valid header at byte {}", offset));
        }
        offset += block;
        if (static_cast<std::size_t>(size) > bytes.size() - offset) {
            throw ParseError(archive, 0, 0,
                             fmt::format("the tar archive is cut short: '{}' should hold {} bytes, {} are there",
                                         ustar_name(header), size, bytes.size() - offset));
        }
        const std::span<const char> data = bytes.subspan(offset, static_cast<std::size_t>(size));
        const char type = header[156];
        if (type == 'L') {
            long_name = std::string(data.data(), std::find(data.data(), data.data() + data.size(), '\0'));
        } else if (type == 'x') {
            long_name = pax_path({data.data(), data.size()});
        } else {
            if (type == '0' || type == '\0' || type == '7') {
                members.push_back({long_name.empty() ? ustar_name(header) : long_name, data});
            }
            long_name.clear();
        }
        offset += std::min((data.size() + block - 1) / block * block, bytes.size() - offset);
    }
    return members;
}

}  // namespace stiefel
