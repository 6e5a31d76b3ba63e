#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace stiefel::triangular {

namespace {

/// An application reads what the triangles hold and, of each row, some numbers.
double bytes_of(const TriangleShape& shape) {
    const auto element = static_cast<double>(shape.element_bytes);
    return static_cast<double>(shape.nonzeros) * (element + 4) + static_cast<double>(shape.n_rows) * (20 + 5 * element);
}

// What applications took on one H200, double, IC(0), both triangles, us (`stiefel-bench triangular --backend cuda`),
// and what the constants below make of them. Entries of the second beside the diagonal lie in the cache that
// multiprocessors share, those of the first do not.
//   7-point 100^3: 298 levels, 2 970 000 entries beside the diagonal; G2_circuit: 733 levels, 288 286
//   rung        100^3  fitted  G2_circuit  fitted
//   levels       1909    1907        2936    2937
//   sync-free    2790    2797        3624    3627
//   one-block    5087    5100         900     902
//   self-timed    557     557         944     944
//   halved        388     388         542     541
//   quartered     673     673         367     366

/// Each level takes its time, and entries pass beside that at a rate.
double of_levels(const TriangleShape& shape, double seconds_of_level, double bytes_per_second) {
    return static_cast<double>(shape.n_levels) * seconds_of_level + bytes_of(shape) / bytes_per_second;
}

// What a level takes: the start of a kernel; a store, and a load that finds it, through the cache that multiprocessors
// share; a barrier of a block.

double by_levels(const TriangleShape& shape) {
    constexpr double cache = 5e7;  // bytes; a kernel cannot look ahead, and waits for what lies beyond
    return of_levels(shape, bytes_of(shape) <= cache ? 1.995e-6 : 3.04e-6, 2e12);
}
double sync_free(const TriangleShape& shape) {
    return of_levels(shape, 2.35e-6, 1.37e11);
}
double in_one_block(const TriangleShape& shape) {
    const Size beyond = std::max<Size>(shape.longest_row - 4, 0);  // entries that are not loaded ahead
    return 6e-6 + of_levels(shape, 1.67e-7 + 3e-7 * static_cast<double>(beyond), 3.83e10);
}
double self_timed(const TriangleShape& shape) {
    return 4e-6 + of_levels(shape, 6.25e-7, 1.06e12);
}

/// Products of q of `choices` numbers, their order left aside.
double products(double choices, int q) {
    double n = 1;
    for (int i = 0; i < q; ++i) n *= (choices + i) / (i + 1);
    return n;
}

/// Entries of N^p, p = 2^steps, and of the powers before it, with which it is multiplied once. Of a grid an entry of
/// N^q is a way of q steps, and it matters not which comes first; elsewhere ways meet less often.
double entries_of_powers(const TriangleShape& shape, int steps) {
    const double mean = static_cast<double>(shape.nonzeros) / static_cast<double>(std::max<Size>(shape.n_rows, 1));
    double entries = 0;
    for (int q = 0; q <= 1 << steps; ++q) entries += products(mean, q);
    return entries * static_cast<double>(shape.n_rows);
}

double with_powers(const TriangleShape& shape, int steps, double seconds_of_level, double bytes_per_second) {
    constexpr double most_growth = 1e3;
    constexpr Index longest_row = 12;  // the powers of others would be full
    if (!(shape.growth <= most_growth) || shape.longest_row > longest_row) {
        return std::numeric_limits<double>::infinity();
    }
    const int p = 1 << steps;
    TriangleShape powers = shape;
    powers.n_levels = (shape.n_levels + p - 1) / p;
    powers.nonzeros = static_cast<Size>(entries_of_powers(shape, steps));
    return 4e-6 + of_levels(powers, seconds_of_level, bytes_per_second);
}

/// Powers are made on the device. Measured on the H200, beyond what self-timed takes, and fitted: of 100^3 23.5 and
/// 41.4 ms for halved and quartered (20.9 and 42.8), of G2_circuit 10.0 and 13.3 (12.8 and 13.9).
double set_up_powers(const TriangleShape& shape, int steps) {
    return 1.2e-2 + 9e-10 * entries_of_powers(shape, steps);
}

double halved(const TriangleShape& shape) {
    return with_powers(shape, 1, 7.07e-7, 2.06e12);
}
double set_up_halved(const TriangleShape& shape) {
    return set_up_powers(shape, 1);
}
double quartered(const TriangleShape& shape) {
    return with_powers(shape, 2, 8.8e-7, 1.75e12);
}
double set_up_quartered(const TriangleShape& shape) {
    return set_up_powers(shape, 2);
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
               solve_self_timed<T>, self_timed, false, true},
        Kernel{"halved", "self-timed, with N^2 in place of N: half the levels, more entries", "after Heller 1978",
               solve_self_timed<T>, halved, false, true, 1, set_up_halved},
        Kernel{"quartered", "self-timed, with N^4 in place of N: a quarter of the levels", "after Heller 1978",
               solve_self_timed<T>, quartered, false, true, 2, set_up_quartered},
    };
    return list;
}

template <class T>
const TriangularKernel<T>& fastest_kernel(const TriangleShape& shape, double applications) {
    const auto list = triangular_kernels<T>();
    const auto seconds = [&](const TriangularKernel<T>& kernel) {
        const double set_up = kernel.set_up_seconds != nullptr ? kernel.set_up_seconds(shape) : 0;
        return set_up + applications * kernel.seconds(shape);
    };
    return *std::ranges::min_element(list, {}, seconds);
}

template std::span<const TriangularKernel<double>> triangular_kernels();
template std::span<const TriangularKernel<float>> triangular_kernels();
template const TriangularKernel<double>& fastest_kernel(const TriangleShape&, double);
template const TriangularKernel<float>& fastest_kernel(const TriangleShape&, double);

}  // namespace stiefel::triangular
