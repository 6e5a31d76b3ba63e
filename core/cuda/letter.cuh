#pragma once

#include "stiefel/core/cuda/check.hpp"

namespace stiefel {

/// A number that is read while it may be being written, by another block or by the host, without a lock: each half of
/// it shares an 8-byte word with the seal that its writer put on it, and who finds the seal expected in both words has
/// the number. PTX takes an access to a vector as one to each of its elements, in any order, and each of those arrives
/// whole; so the elements must be the words. (That 16 bytes arrive at once is what devices do, and is not relied on.)
struct alignas(16) Letter {
    unsigned long long low;   ///< the number's low half, the seal above it
    unsigned long long high;  ///< the number's high half, the seal above it

    __device__ static Letter sealed(double value, unsigned seal) {
        const unsigned long long above = static_cast<unsigned long long>(seal) << 32;
        return {above | static_cast<unsigned>(__double2loint(value)),
                above | static_cast<unsigned>(__double2hiint(value))};
    }
    __device__ double value() const { return __hiloint2double(static_cast<int>(high), static_cast<int>(low)); }
    __device__ unsigned low_seal() const { return static_cast<unsigned>(low >> 32); }
    __device__ unsigned high_seal() const { return static_cast<unsigned>(high >> 32); }
    __device__ bool has_seal(unsigned seal) const { return low_seal() == seal && high_seal() == seal; }
};

/// To the other blocks of the grid.
__device__ inline void post(Letter* box, const Letter& letter) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(box), "l"(letter.low), "l"(letter.high)
                 : "memory");
}

/// To the host, or to another GPU.
__device__ inline void post_afar(Letter* box, const Letter& letter) {
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(box), "l"(letter.low), "l"(letter.high)
                 : "memory");
}

/// What another block of the grid has posted so far.
__device__ inline Letter look_into(const Letter* box) {
    Letter letter;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(letter.low), "=l"(letter.high)
                 : "l"(box)
                 : "memory");
    return letter;
}

/// What another GPU has posted so far.
__device__ inline Letter look_afar(const Letter* box) {
    Letter letter;
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(letter.low), "=l"(letter.high)
                 : "l"(box)
                 : "memory");
    return letter;
}

/// The number that another GPU posts with this seal, as soon as it is here; `letter` is what a look has found.
__device__ inline double await_afar(const Letter* box, unsigned seal, Letter letter) {
    while (!letter.has_seal(seal)) letter = look_afar(box);
    return letter.value();
}
__device__ inline double await_afar(const Letter* box, unsigned seal) {
    return await_afar(box, seal, look_afar(box));
}

}  // namespace stiefel
