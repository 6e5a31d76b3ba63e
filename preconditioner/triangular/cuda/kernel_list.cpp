#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"

#include <algorithm>
#include <array>

namespace stiefel::triangular {

namespace {

/// An application reads what the triangles hold and, of each row, some numbers.
double bytes_of(const TriangleShape& shape) {
    const auto element = static_cast<double>(shape.element_bytes);
    return static_cast<double>(shape.nonzeros) * (element + 4) + static_cast<double>(shape.n_rows) * (20 + 5 * element);
}

/// Levels one after another, and what passes while they do.
double of_levels(const TriangleShape& shape, double seconds_of_level, double bytes_per_second) {
    return std::max(static_cast<double>(shape.n_levels) * seconds_of_level, bytes_of(shape) / bytes_per_second);
}

// What a level takes: the start of a kernel; a store, and a load that finds it, through the cache that multiprocessors
// share; a barrier of a block.

double by_levels(const TriangleShape& shape) {
    return of_levels(shape, 2e-6, 2e12);
}
double sync_free(const TriangleShape& shape) {
    return of_levels(shape, 2e-6, 3e11);
}
double in_one_block(const TriangleShape& shape) {
    const Size beyond = std::max<Size>(shape.longest_row - 4, 0);  // entries that are not loaded ahead
    return 6e-6 + of_levels(shape, 1e-7 + 3e-7 * static_cast<double>(beyond), 1e11);
}
double self_timed(const TriangleShape& shape) {
    return 4e-6 + of_levels(shape, 7e-7, 2e12);
}

}  // namespace

template <class T>
std::span<const TriangularKernel<T>> triangular_kernels() {
    using Kernel = TriangularKernel<T>;
    static constexpr std::array list{
        Kernel{"levels", "a kernel a level, a thread a row", "Anderson and Saad 1989; Naumov 2011", solve_by_levels<T>,
               by_levels},
        Kernel{"sync-free", "a warp a row, which waits for the flags of others", "Liu, Li, Hogg, Duff and Vinter 2016",
               solve_sync_free<T>, sync_free, true},
        Kernel{"one-block", "a block a column, a barrier a level, results in shared memory; for narrow levels", "",
               solve_in_one_block<T>, in_one_block},
        Kernel{"self-timed", "slices of a level; a number says itself whether it has been computed", "",
               solve_self_timed<T>, self_timed},
    };
    return list;
}

template <class T>
const TriangularKernel<T>& fastest_kernel(const TriangleShape& shape) {
    const auto list = triangular_kernels<T>();
    return *std::ranges::min_element(list, {}, [&](const auto& kernel) { return kernel.seconds(shape); });
}

template std::span<const TriangularKernel<double>> triangular_kernels();
template std::span<const TriangularKernel<float>> triangular_kernels();
template const TriangularKernel<double>& fastest_kernel(const TriangleShape&);
template const TriangularKernel<float>& fastest_kernel(const TriangleShape&);

}  // namespace stiefel::triangular
