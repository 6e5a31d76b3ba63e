#include "stiefel/dense/host/transpose.hpp"

#include <array>

namespace stiefel {

namespace {

/// Block rows differ in cost where only the upper half is visited, hence dynamic.
auto loop_on(OpenMP& backend) {
    return [&backend](Size n, auto&& f) {
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic, 4)
        for (Size i = 0; i < n; ++i) f(i);
    };
}

template <class T>
void naive(OpenMP& backend, const HostMatrix<const T>& a, const HostMatrix<T>& b) {
    transpose_naive(a, b, loop_on(backend));
}

template <class T>
void blocked(OpenMP& backend, const HostMatrix<const T>& a, const HostMatrix<T>& b) {
    transpose_blocked(a, b, loop_on(backend));
}

template <class T>
void registers(OpenMP& backend, const HostMatrix<const T>& a, const HostMatrix<T>& b) {
    transpose_registers(a, b, loop_on(backend));
}

}  // namespace

template <class T>
std::span<const TransposeKernel<OpenMP, T>> transpose_kernels(const OpenMP&) {
    static constexpr std::array<TransposeKernel<OpenMP, T>, 3> kernels = {{
        {"naive", "all threads; reads along rows, writes down columns", "", naive<T>},
        {"blocked", "all threads; square blocks: lines of the result are completed while they are in L1", "",
         blocked<T>},
        {"registers",
         "all threads; tiles of one cache line squared, transposed in registers, large results written around the "
         "caches",
         "", registers<T>},
    }};
    return kernels;
}

template <class T>
void transpose(OpenMP& backend, HostMatrix<const std::type_identity_t<T>> a, HostMatrix<T> b) {
    check_transpose(a, b);
    registers(backend, a, b);
}

template <class T>
void transpose_in_place(OpenMP& backend, HostMatrix<T> a) {
    transpose_square_in_place(a, loop_on(backend));
}

template struct Transposes<OpenMP, double>;
template struct Transposes<OpenMP, float>;

}  // namespace stiefel
