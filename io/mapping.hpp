#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace stiefel {

/// Whole pages of memory: a file's bytes as long as nobody changes them there (writing to them changes the memory
/// only), or zeros that take space as they are written and can grow without being copied.
class Mapping {
public:
    Mapping() = default;
    /// The first `size` bytes of an open file. Empty if it cannot be mapped.
    static Mapping file(int descriptor, std::size_t size);
    /// Throws OutOfMemory.
    static Mapping zeros(std::size_t size);

    Mapping(Mapping&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Mapping();

    /// Changes the size; the bytes in both stay, and move. Throws OutOfMemory.
    void resize(std::size_t size);

    std::size_t size() const { return size_; }
    std::span<char> bytes() { return {data_, size_}; }
    std::span<const char> bytes() const { return {data_, size_}; }

private:
    Mapping(char* data, std::size_t size) : data_(data), size_(size) {}

    char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace stiefel
