#pragma once

#include "stiefel/core/types.hpp"

#include <vector>

namespace stiefel {

/// Multiply-adds in registers alone: the part of peak_flops that depends on the instruction set.
template <class T>
struct MultiplyAdds {
    Size flops = 0;  ///< of a round

    /// Does so many rounds of x = factor x + addend in every lane, from small whole numbers. Returns the sum of the
    /// lanes.
    T (*run)(Size rounds, T factor, T addend) = nullptr;
};

/// What `run` returns after 64 rounds or more of x / 2 + 1: 2 a lane, as what is left of the distance is rounded off.
template <class T>
T settled_sum(const MultiplyAdds<T>& kernel) {
    return static_cast<T>(kernel.flops);  // as two operations a lane are counted
}

/// Those that this machine can run, of the widest registers last. Never empty.
template <class T>
std::vector<MultiplyAdds<T>> runnable_multiply_adds();

// One per file, each compiled for its instruction set; to be used only where the processor has it.
extern const MultiplyAdds<double> multiply_adds_baseline_double, multiply_adds_avx2_double, multiply_adds_avx512_double;
extern const MultiplyAdds<float> multiply_adds_baseline_float, multiply_adds_avx2_float, multiply_adds_avx512_float;

}  // namespace stiefel
