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
// Expansions on four systems, the others 5-point 1000^2, 1999 levels, and jump_diffusion3d 80, 238; fitted to within a
// seventh, inverted-8 to within a quarter:
//                100^3  fitted  G2_circuit  fitted  1000^2  fitted  jump 80  fitted
//   halved         389     403         541     518    1401    1494      281     265
//   quartered      672     651         370     332     928    1060      366     368
//   inverted-2     393     402         570     537    1426    1546      278     267
//   inverted-4     486     479         349     313     856     979      283     279
//   inverted-8    1522    1462         237     206     705     895      806     760

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

/// The same of inverted blocks of p levels: a block's n-th level, of which a p-th of the rows are, is reached by ways
/// of up to n steps, of which those that leave the block have the last.
double entries_of_blocks(const TriangleShape& shape, int p) {
    const double mean = static_cast<double>(shape.nonzeros) / static_cast<double>(std::max<Size>(shape.n_rows, 1));
    double entries = 0;
    for (int q = 0; q <= p; ++q) entries += products(mean, q) * (std::min(q, 1) + p - q) / p;
    return entries * static_cast<double>(shape.n_rows);
}

double entries_of(const TriangleShape& shape, const Expansion& expansion) {
    return expansion.inverts_blocks ? entries_of_blocks(shape, expansion.levels())
                                    : entries_of_powers(shape, expansion.steps);
}

double with_expansion(const TriangleShape& shape, const Expansion& expansion, double seconds_of_level,
                      double bytes_per_second) {
    constexpr double most_growth = 1e3;
    constexpr Index longest_row = 12;  // what others multiply to would be full
    if (!(shape.growth <= most_growth) || shape.longest_row > longest_row) {
        return std::numeric_limits<double>::infinity();
    }
    const int p = expansion.levels();
    TriangleShape expanded = shape;
    expanded.n_levels = (shape.n_levels + p - 1) / p;
    expanded.nonzeros = static_cast<Size>(entries_of(shape, expansion));
    return 4e-6 + of_levels(expanded, seconds_of_level, bytes_per_second);
}

constexpr Expansion halving{1}, quartering{2}, pairs{1, true}, fours{2, true}, eights{3, true};

/// What they multiply to is made on the device, with so many products. Measured on the H200, beyond what self-timed
/// takes, and what this makes of it, ms: G2_circuit 3, 6, 6, 10, 17 (5, 7, 8, 12, 20), jump_diffusion3d 80 3, 21, 36,
/// 38, 49 (13, 21, 23, 29, 46).
template <const Expansion& expansion>
double set_up(const TriangleShape& shape) {
    constexpr int p = 1 << expansion.steps;
    constexpr int n_products = expansion.inverts_blocks ? 2 * p - 3 : p - 1;
    constexpr double of_row = expansion.inverts_blocks ? 2e-8 : 1e-8;
    return 1e-3 * n_products + of_row * static_cast<double>(shape.n_rows) + 2e-10 * entries_of(shape, expansion);
}

double halved(const TriangleShape& shape) {
    return with_expansion(shape, halving, 6.71e-7, 1.79e12);
}
double quartered(const TriangleShape& shape) {
    return with_expansion(shape, quartering, 7.86e-7, 1.78e12);
}
double inverted_pairs(const TriangleShape& shape) {
    return with_expansion(shape, pairs, 6.95e-7, 1.5e12);
}
double inverted_fours(const TriangleShape& shape) {
    return with_expansion(shape, fours, 7.53e-7, 1.45e12);
}
double inverted_eights(const TriangleShape& shape) {
    return with_expansion(shape, eights, 6.77e-7, 1.11e12);
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
               solve_self_timed<T>, halved, false, true, halving, set_up<halving>},
        Kernel{"quartered", "self-timed, with N^4 in place of N: a quarter of the levels", "after Heller 1978",
               solve_self_timed<T>, quartered, false, true, quartering, set_up<quartering>},
        Kernel{"inverted-2", "self-timed, with diagonal blocks of 2 levels inverted: fewer entries than halved",
               "after Alvarado and Schreiber 1993", solve_self_timed<T>, inverted_pairs, false, true, pairs,
               set_up<pairs>},
        Kernel{"inverted-4", "the same of 4 levels", "after Alvarado and Schreiber 1993", solve_self_timed<T>,
               inverted_fours, false, true, fours, set_up<fours>},
        Kernel{"inverted-8", "the same of 8 levels", "after Alvarado and Schreiber 1993", solve_self_timed<T>,
               inverted_eights, false, true, eights, set_up<eights>},
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
