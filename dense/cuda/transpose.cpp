#include "stiefel/dense/check_matrix.hpp"
#include "stiefel/dense/cuda/transpose_rungs.hpp"
#include "stiefel/dense/transpose_kernels.hpp"

#include <array>

namespace stiefel {

using namespace cuda;

template <class T>
std::span<const TransposeKernel<Cuda, T>> transpose_kernels(const Cuda&) {
    using Kernel = TransposeKernel<Cuda, T>;
    static constexpr std::array kernels{
        Kernel{"naive", "reads along rows, writes down columns", "", transpose_naive<T>},
        Kernel{"shared", "through a 32 x 32 tile in shared memory: reads and writes coalesced",
               "Ruetsch and Micikevicius 2009", transpose_shared<T>},
        Kernel{"padded", "rows of the tile one element longer: no bank conflicts", "Ruetsch and Micikevicius 2009",
               transpose_padded<T>},
        Kernel{"unrolled", "four elements a thread: four loads on their way at once", "", transpose_unrolled<T>},
        Kernel{"tuned", "16-byte loads and stores, squares turned in registers, permuted shared memory", "",
               transpose_tuned<T>},
    };
    return kernels;
}

template <class T>
void transpose(Cuda& backend, DeviceMatrix<const std::type_identity_t<T>> a, DeviceMatrix<T> b) {
    check_transpose(a, b);
    transpose_tuned(backend, a, b);
}

template <class T>
void transpose_in_place(Cuda& backend, DeviceMatrix<T> a) {
    check_matrix("transpose_in_place", "A", shape_of(a));
    check_equal("transpose_in_place", "A must be square", "rows", a.n_rows, "columns", a.n_cols);
    transpose_square(backend, a);
}

template struct Transposes<Cuda, double>;
template struct Transposes<Cuda, float>;

}  // namespace stiefel
