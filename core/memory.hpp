#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace stiefel {

/// Memory that the processor addresses. Vectors carry their memory in their type, so a kernel cannot be handed
/// operands that it cannot reach.
struct HostMemory {};

/// Allocates `bytes` of host memory, aligned to 64 bytes; large blocks to 2 MiB with huge pages asked for.
/// Pages are not touched: the first write, best by the thread that will use them, places them.
/// Throws OutOfMemory, also where the request exceeds the machine's memory (Linux would grant it and kill later).
void* allocate_host(Size bytes);
void free_host(void* pointer) noexcept;

/// What this machine has, in bytes.
Size physical_memory();

/// Contiguous array of n elements in a memory space, the operand of every kernel. Moves, never copies silently:
/// copies go through a backend or through clone().
template <class T, class Memory>
class Vector;

template <class T>
class Vector<T, HostMemory> {
    static_assert(std::is_trivially_copyable_v<T>, "kernels move elements as bytes");

public:
    using value_type = T;
    using memory = HostMemory;

    Vector() = default;

    /// n elements, values unspecified (no page touched).
    explicit Vector(Size n) : data_(n > 0 ? static_cast<T*>(allocate_host(checked_bytes(n))) : nullptr), size_(n) {}

    Vector(Size n, T value) : Vector(n) { std::fill_n(data_, n, value); }
    Vector(std::initializer_list<T> values) : Vector(static_cast<Size>(values.size())) {
        std::copy(values.begin(), values.end(), begin());
    }

    Vector(Vector&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Vector& operator=(Vector&& other) noexcept {
        if (this != &other) {
            free_host(data_);
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() { free_host(data_); }

    Vector clone() const {
        Vector copy(size_);
        std::copy(begin(), end(), copy.begin());
        return copy;
    }

    /// Keeps the first n elements (n <= size) without moving them; the tail stays allocated.
    void truncate(Size n) {
        require(n >= 0 && n <= size_, "Vector::truncate: n must lie between 0 and the size");
        size_ = n;
    }

    Size size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Size bytes() const { return size_ * static_cast<Size>(sizeof(T)); }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](Size i) { return data_[i]; }
    const T& operator[](Size i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    std::span<T> span() { return {data_, static_cast<std::size_t>(size_)}; }
    std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }

private:
    static Size checked_bytes(Size n) {
        Size bytes = 0;
        if (__builtin_mul_overflow(n, static_cast<Size>(sizeof(T)), &bytes)) {
            throw InvalidArgument("Vector: the size in bytes exceeds 2^63");
        }
        return bytes;
    }

    T* data_ = nullptr;
    Size size_ = 0;
};

template <class T>
using HostVector = Vector<T, HostMemory>;

}  // namespace stiefel
