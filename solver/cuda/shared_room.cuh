#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cuda {

/// Cuts shared memory into arrays; without any, counts their bytes.
class SharedRoom {
public:
    __host__ __device__ explicit SharedRoom(unsigned char* begin) : begin_(begin) {}
    template <class E>
    __host__ __device__ E* take(Size n) {
        E* const array = begin_ == nullptr ? nullptr : reinterpret_cast<E*>(begin_ + bytes_);
        bytes_ += bytes_of<E>(n);
        return array;
    }
    __host__ __device__ Size bytes() const { return bytes_; }

    /// Of one array.
    template <class E>
    __host__ __device__ static constexpr Size bytes_of(Size n) {
        return (n * static_cast<Size>(sizeof(E)) + 15) / 16 * 16;
    }

private:
    unsigned char* begin_;
    Size bytes_ = 0;
};

}  // namespace stiefel::cuda
