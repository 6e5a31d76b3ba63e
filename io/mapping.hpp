#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace stiefel {

/// Whole pages of memory: a file mapped for reading, or zeros that take space as they are written and can grow without
/// being copied.
class Mapping {
public:
    Mapping() = default;
    /// The first `size` bytes of an open file. Empty if the file cannot be mapped.
    static Mapping file(int descriptor, std::size_t size);
    /// Throws OutOfMemory.
    static Mapping zeros(std::size_t size);

    Mapping(Mapping&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          is_file_(std::exchange(other.is_file_, false)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(is_file_, other.is_file_);
        return *this;
    }
    ~Mapping();

    /// Changes the size; the bytes in both stay, and move. Not for files. Throws OutOfMemory.
    void resize(std::size_t size);

    bool is_file() const { return is_file_; }
    std::size_t size() const { return size_; }
    std::span<char> bytes() { return {data_, size_}; }
    std::span<const char> bytes() const { return {data_, size_}; }

private:
    Mapping(char* data, std::size_t size, bool is_file) : data_(data), size_(size), is_file_(is_file) {}

    char* data_ = nullptr;
    std::size_t size_ = 0;
    bool is_file_ = false;
};

}  // namespace stiefel
