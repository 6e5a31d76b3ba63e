#include "stiefel/io/input.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/tar.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace stiefel {

namespace {

/// Deflate makes at most 258 bytes of two bits.
constexpr std::size_t largest_expansion = 1032;

class Descriptor {
public:
    explicit Descriptor(const std::string& path)
        : number_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (number_ < 0) throw FileError(path, std::strerror(errno));
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ != STDIN_FILENO) ::close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

/// Reads to the end of a pipe, a device, or anything else whose size is not known beforehand.
Mapping read_to_end(int descriptor, const std::string& name) {
    Mapping memory = Mapping::zeros(std::size_t{1} << 20);
    std::size_t size = 0;
    for (;;) {
        const ssize_t n = ::read(descriptor, memory.bytes().data() + size, memory.size() - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw FileError(name, std::strerror(errno));
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
        if (size == memory.size()) memory.resize(2 * size);
    }
    memory.resize(size);
    return memory;
}

bool starts_with(std::span<const char> bytes, std::string_view magic) {
    return std::string_view(bytes.data(), bytes.size()).starts_with(magic);
}

constexpr std::string_view gzip_magic("\x1f\x8b", 2);

/// The size that the end of a gzip file claims: right (modulo 2^32) for a file of one member, a first guess for all.
std::size_t claimed_size(std::span<const char> compressed) {
    std::uint32_t size = 0;
    for (std::size_t i = 1; i <= 4; ++i)
        size = size << 8 | static_cast<unsigned char>(compressed[compressed.size() - i]);
    return size;
}

/// All members of a gzip file. Grows as the data asks for, never on the word of the file alone: the claimed size is
/// trusted up to what deflate can make of so many bytes, and untouched pages take no memory.
Mapping gunzip(std::span<const char> compressed, const std::string& name) {
    constexpr std::size_t shortest_member = 18;
    if (compressed.size() < shortest_member) throw ParseError(name, 0, 0, "the gzip data is cut short");
    const std::size_t most = largest_expansion * compressed.size();
    Mapping memory = Mapping::zeros(std::min(most, std::max(claimed_size(compressed), 4 * compressed.size())));
    std::size_t size = 0;
    while (starts_with(compressed, gzip_magic)) {
        const GzipMember member = gunzip_member(compressed, memory.bytes().subspan(size));
        if (member.status == GzipMember::Status::needs_space && memory.size() < most) {
            memory.resize(std::min(most, 2 * memory.size()));
        } else if (member.status == GzipMember::Status::complete) {
            size += member.produced;
            compressed = compressed.subspan(member.consumed);
        } else {
            throw ParseError(name, 0, 0,
                             fmt::format("the gzip data is corrupt or cut short (after {} bytes of good text)", size));
        }
    }
    if (std::any_of(compressed.begin(), compressed.end(), [](char c) { return c != '\0'; })) {
        throw ParseError(name, 0, 0, fmt::format("{} bytes that are not gzip follow the gzip data", compressed.size()));
    }
    memory.resize(size);
    return memory;
}

void refuse_other_compression(std::span<const char> bytes, const std::string& name) {
    using namespace std::string_view_literals;
    struct Format {
        std::string_view magic, name;
    };
    for (const Format& format : {Format{"BZh"sv, "bzip2"sv},
                                 {"\xfd"
                                  "7zXZ\0"sv,
                                  "xz"sv},
                                 {"PK\x03\x04"sv, "zip"sv},
                                 {"\x28\xb5\x2f\xfd"sv, "zstd"sv},
                                 {"7z\xbc\xaf"sv, "7z"sv}}) {
        if (starts_with(bytes, format.magic)) {
            throw ParseError(name, 0, 0,
                             fmt::format("is compressed with {}; plain text, .gz and .tar.gz are read (unpack it, or "
                                         "pipe it in: '-' reads standard input)",
                                         format.name));
        }
    }
}

/// Whether `path` is .../NAME/NAME<suffix>.mtx.
bool is_wanted(std::string_view path, std::string_view suffix) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view folder = path.substr(0, slash);
    const std::string_view name = folder.substr(folder.rfind('/') + 1);
    return path.substr(slash + 1) == fmt::format("{}{}.mtx", name, suffix);
}

const TarMember& pick(const std::vector<TarMember>& members, const std::string& suffix, const std::string& archive) {
    const TarMember* only = nullptr;
    int n_matrices = 0;
    std::string names;
    for (const TarMember& member : members) {
        if (is_wanted(member.name, suffix)) return member;
        if (member.name.ends_with(".mtx")) {
            only = &member;
            ++n_matrices;
        }
        if (names.size() < 200) names += fmt::format("{}{}", names.empty() ? "" : ", ", member.name);
    }
    if (suffix.empty() && n_matrices == 1) return *only;
    throw ParseError(archive, 0, 0,
                     fmt::format("the archive holds no file NAME/NAME{}.mtx; it holds {}", suffix,
                                 names.empty() ? "nothing" : names));
}

}  // namespace

InputText InputText::open(const std::string& path, const std::string& member_suffix) {
    const std::string name = path == "-" ? "<stdin>" : path;
    const Descriptor descriptor(path);
    struct stat status {};
    if (fstat(descriptor.number(), &status) != 0) throw FileError(name, std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw ParseError(name, 0, 0, "is a directory; expected a Matrix Market file");
    Mapping memory;
    // A file of size 0 may be one of the kernel's, which are written as they are read.
    if (S_ISREG(status.st_mode) && status.st_size > 0 && path != "-") {
        memory = Mapping::file(descriptor.number(), static_cast<std::size_t>(status.st_size));
    }
    if (memory.size() == 0) memory = read_to_end(descriptor.number(), name);
    InputText input(name, memory.bytes());
    input.memory_ = std::move(memory);
    input.unpack(member_suffix);
    return input;
}

InputText InputText::from_memory(std::span<const char> bytes, const std::string& name,
                                 const std::string& member_suffix) {
    InputText input(name, bytes);
    input.unpack(member_suffix);
    return input;
}

void InputText::unpack(const std::string& member_suffix) {
    if (starts_with(text_, gzip_magic)) {
        Mapping unpacked = gunzip(text_, name_);
        memory_ = std::move(unpacked);
        text_ = memory_.bytes();
    }
    refuse_other_compression(text_, name_);
    if (is_tar(text_)) {
        const std::vector<TarMember> members = list_tar(text_, name_);
        const TarMember& member = pick(members, member_suffix, name_);
        text_ = member.data;
        name_ = fmt::format("{}({})", name_, member.name);
    }
}

void InputText::release(std::span<const char> part) const noexcept {
    if (!memory_.is_file()) return;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page * page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace stiefel
