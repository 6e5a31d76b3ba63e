#pragma once

#include "stiefel/core/multiply_adds/multiply_adds.hpp"

// The text of all of them, in GCC's vector extensions. It belongs to the file that includes it (the namespace without a
// name), see dense/packed/micro_kernel_code.hpp.

namespace stiefel {

namespace {

// So many that the units never wait for a result: they begin up to 4 a cycle, and one takes some 4 cycles. Two more
// registers hold the operands, and there are 16 without AVX-512 on x86-64, else 32.
#if defined(__x86_64__) && !defined(__AVX512F__)
constexpr int n_chains = 12;
#else
constexpr int n_chains = 24;
#endif

/// L elements of T fill a register.
template <class T, int L>
T run_multiply_adds(Size rounds, T factor, T addend) {
    typedef T Register __attribute__((vector_size(L * sizeof(T))));
    // Arguments of a pointer to a function: the compiler does not know what comes of them.
    const Register factors = factor - Register{}, addends = addend - Register{};
    Register x[n_chains];
#pragma GCC unroll 32
    for (int chain = 0; chain < n_chains; ++chain) x[chain] = static_cast<T>(chain) - Register{};
    for (Size round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
        for (int chain = 0; chain < n_chains; ++chain) x[chain] = x[chain] * factors + addends;
    }
    Register sums{};
#pragma GCC unroll 32
    for (int chain = 0; chain < n_chains; ++chain) sums += x[chain];
    T sum = 0;
    for (int lane = 0; lane < L; ++lane) sum += sums[lane];
    return sum;
}

template <class T, int L>
constexpr MultiplyAdds<T> multiply_adds() {
    return {Size{2} * L * n_chains, run_multiply_adds<T, L>};
}

}  // namespace

}  // namespace stiefel
