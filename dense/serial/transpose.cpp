#include "stiefel/dense/host/transpose.hpp"

#include <array>

namespace stiefel {

namespace {

auto loop_on(Serial&) {
    return [](Size n, auto&& f) {
        for (Size i = 0; i < n; ++i) f(i);
    };
}

template <class T>
void naive(Serial& backend, const HostMatrix<const T>& a, const HostMatrix<T>& b) {
    transpose_naive(a, b, loop_on(backend));
}

template <class T>
void blocked(Serial& backend, const HostMatrix<const T>& a, const HostMatrix<T>& b) {
    transpose_blocked(a, b, loop_on(backend));
}

template <class T>
void registers(Serial& backend, const HostMatrix<const T>& a, const HostMatrix<T>& b) {
    transpose_registers(a, b, loop_on(backend));
}

}  // namespace

template <class T>
std::span<const TransposeKernel<Serial, T>> transpose_kernels(const Serial&) {
    static constexpr std::array<TransposeKernel<Serial, T>, 3> kernels = {{
        {"naive", "reads along rows, writes down columns", "", naive<T>},
        {"blocked", "square blocks: lines of the result are completed while they are in L1", "", blocked<T>},
        {"registers",
         "tiles of one cache line squared, transposed in registers, large results written around the caches", "",
         registers<T>},
    }};
    return kernels;
}

template <class T>
void transpose(Serial& backend, HostMatrix<const std::type_identity_t<T>> a, HostMatrix<T> b) {
    check_transpose(a, b);
    registers(backend, a, b);
}

template <class T>
void transpose_in_place(Serial& backend, HostMatrix<T> a) {
    transpose_square_in_place(a, loop_on(backend));
}

template struct Transposes<Serial, double>;
template struct Transposes<Serial, float>;

}  // namespace stiefel
