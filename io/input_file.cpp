#include "stiefel/io/input_file.hpp"

#include "stiefel/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace stiefel {

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "<stdin>" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) throw FileError(name_, std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw ParseError(name_, 0, 0, "is a directory; expected a Matrix Market file");
    // Standard input may have been read by others already: it goes on where they ended.
    has_size_ = S_ISREG(status.st_mode) && status.st_size > 0 && descriptor_ != STDIN_FILENO;
    if (has_size_) size_ = static_cast<std::size_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      has_size_(other.has_size_),
      size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(has_size_, other.has_size_);
    std::swap(size_, other.size_);
    return *this;
}

InputFile::~InputFile() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

void InputFile::read_at(std::size_t offset, std::span<char> to) const {
    while (!to.empty()) {
        const ssize_t n = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw FileError(name_, std::strerror(errno));
        if (n == 0) {
            throw FileError(name_, fmt::format("became shorter while it was read: it had {} bytes and ends at {} now; "
                                               "read it when whoever writes it is done",
                                               size_, offset));
        }
        to = to.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::size_t>(n);
    }
}

std::size_t InputFile::read_next(std::span<char> to) const {
    for (;;) {
        const ssize_t n = ::read(descriptor_, to.data(), to.size());
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno != EINTR) throw FileError(name_, std::strerror(errno));
    }
}

}  // namespace stiefel
