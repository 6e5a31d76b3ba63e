#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stiefel {

/// A regular file in a tar archive; the data lies within the archive's bytes.
struct TarMember {
    std::string name;
    std::span<const char> data;
};

inline constexpr std::size_t tar_block = 512;

/// Whether the bytes start with a tar header, told by its checksum.
bool is_tar(std::span<const char> bytes);

/// The regular files of an archive in its order (v7, ustar, GNU long names, pax paths).
/// Throws ParseError naming `archive` where a header is damaged or the archive ends within a file.
std::vector<TarMember> list_tar(std::span<const char> bytes, const std::string& archive);

}  // namespace stiefel
