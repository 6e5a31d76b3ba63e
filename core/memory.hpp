#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
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

/// What keeps lent memory where it is, for as long as a vector holds on to it; nothing where the lender sees to that.
using KeepAlive = std::shared_ptr<const void>;

/// Throws InvalidArgument unless `data` lies at a multiple of `alignment` bytes; `who` begins the message.
void require_alignment(const void* data, Size alignment, std::string_view who);

/// What is left of it for this process now, in bytes: free or taken by caches that give way, and within the limit of
/// the container. physical_memory() where the system does not tell.
Size available_memory();

/// Contiguous array of n elements in a memory space, the operand of every kernel. Moves, never copies silently:
/// copies go through a backend or through clone(). It owns its memory, or was lent what someone else owns.
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
    explicit Vector(Size n) : Vector(allocated(n), n) {}

    Vector(Size n, T value) : Vector(n) { std::fill_n(data_, n, value); }
    Vector(std::initializer_list<T> values) : Vector(static_cast<Size>(values.size())) {
        std::copy(values.begin(), values.end(), begin());
    }

    /// The n elements at `data`, which stay the lender's. They must lie there while the vector lives: `keep_alive` is
    /// held until then. Kernels write to them where the vector is their result; a vector over constants is constant
    /// itself, and is to be kept so. Throws InvalidArgument if n < 0, or where the address does not suit a T.
    static Vector lent(T* data, Size n, KeepAlive keep_alive = {}) {
        require(n >= 0, "Vector::lent: n must not be negative");
        require_alignment(data, alignof(T), "Vector::lent");
        return Vector(std::shared_ptr<void>(std::move(keep_alive), data), n);
    }
    static const Vector lent(const T* data, Size n, KeepAlive keep_alive = {}) {
        return lent(const_cast<T*>(data), n, std::move(keep_alive));
    }

    Vector(Vector&& other) noexcept
        : owner_(std::move(other.owner_)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    Vector& operator=(Vector&& other) noexcept {
        Vector taken(std::move(other));
        std::swap(owner_, taken.owner_);
        std::swap(data_, taken.data_);
        std::swap(size_, taken.size_);
        return *this;
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() = default;

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
    Vector(std::shared_ptr<void> owner, Size n)
        : owner_(std::move(owner)), data_(static_cast<T*>(owner_.get())), size_(n) {}

    static std::shared_ptr<void> allocated(Size n) {
        if (n <= 0) return {};
        Size bytes = 0;
        if (__builtin_mul_overflow(n, static_cast<Size>(sizeof(T)), &bytes)) {
            throw InvalidArgument("Vector: the size in bytes exceeds 2^63");
        }
        return {allocate_host(bytes), free_host};
    }

    std::shared_ptr<void> owner_;
    T* data_ = nullptr;
    Size size_ = 0;
};

template <class T>
using HostVector = Vector<T, HostMemory>;

}  // namespace stiefel
