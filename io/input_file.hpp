#pragma once

#include "stiefel/io/mapping.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace stiefel {

/// A file, pipe or device opened for reading. What others write is copied out, not mapped: a file that becomes shorter
/// while it is read is then an error like any other, not a signal, and a copy that stays in the cache costs no more
/// than the page faults of a mapping.
class InputFile {
public:
    /// `path` "-" is standard input. Throws FileError; ParseError for a directory.
    explicit InputFile(const std::string& path);
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;
    ~InputFile();

    /// For messages.
    const std::string& name() const { return name_; }

    /// Whether all of it is there and can be read from anywhere: a regular file that is not empty. (One of size 0 may
    /// be one of the kernel's, which are written as they are read.)
    bool has_size() const { return has_size_; }
    std::size_t size() const { return size_; }

    /// Fills `to` with the bytes from `offset` on, all of which must lie below size(). May be called by several threads
    /// at once. Throws FileError, also where the file no longer holds them.
    void read_at(std::size_t offset, std::span<char> to) const;

    /// All of a file that is only ever replaced, never changed in place. Empty if it cannot be mapped.
    Mapping map() const { return Mapping::file(descriptor_, size_); }

    /// The next bytes of a stream, as many as have come; 0 at its end. Throws FileError.
    std::size_t read_next(std::span<char> to) const;

private:
    std::string name_;
    int descriptor_ = -1;
    bool has_size_ = false;
    std::size_t size_ = 0;
};

}  // namespace stiefel
