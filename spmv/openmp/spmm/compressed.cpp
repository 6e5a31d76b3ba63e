#include "stiefel/core/register_bytes.hpp"
#include "stiefel/spmv/openmp/compressed/rows.hpp"
#include "stiefel/spmv/openmp/spmm/kernels.hpp"

#include <cstring>
#include <type_traits>

namespace stiefel::openmp {

namespace {

using compressed::height;

/// So many rows of Y are summed at a time, each in a register: a line of values, and as many chains of additions.
constexpr Index lanes = 8;

/// Columns `column` .. `column + k` of the panels.
template <Index k, class T>
void multiply_slice(const HostCompressedSell<T>& a, Index slice, const SpmmArguments<T>& s, Index column) {
    using Row [[gnu::vector_size(k * sizeof(T))]] = T;
    const auto& at = a.slices[slice];
    const Size first = at.group, end = at.end_group();
    const Size first_slot = Size{slice} * height;
    const T* const from = s.x + column;
    // The rows of diagonals begin at that of the slice, those of x lie ld apart.
    const T* const diagonals = from + (at.columns == SliceColumns::diagonals ? first_slot * s.ldx : 0);
    compressed::with_columns(
        at.columns, at.padded, diagonals, [&]<bool padded>(const auto& of_columns, std::bool_constant<padded>) {
            for (Index lane = 0; lane < height; lane += lanes) {
                Row sums[lanes] = {};
                const std::uint16_t* distances = a.distances.data() + at.distance;
                for (Size group = first; group < end; ++group, distances += of_columns.step) {
                    const T* const values = a.values.data() + group * height + lane;
                    const Index base = a.base[group];
#pragma GCC unroll 8
                    for (Index r = 0; r < lanes; ++r) {
                        if (padded && is_padding(values[r])) continue;
                        Row factor;
                        std::memcpy(&factor, of_columns.at(base, distances, lane + r, s.ldx), sizeof factor);
                        sums[r] += values[r] * factor;
                    }
                }
#pragma GCC unroll 8
                for (Index r = 0; r < lanes; ++r) {
                    const Index row = a.row(first_slot + lane + r);
                    if (row >= a.n_rows) continue;
                    T* const to = s.y + row * s.ldy + column;
                    Row before = {};
                    if (s.beta != T{0}) std::memcpy(&before, to, sizeof before);
                    const Row after = s.alpha * sums[r] + s.beta * before;
                    std::memcpy(to, &after, sizeof after);
                }
            }
        });
}

/// As many columns as fit into registers of k, then of half of that.
template <Index k, class T>
void multiply_columns(const HostCompressedSell<T>& a, Index slice, const SpmmArguments<T>& s, Index column) {
    for (; column + k <= s.k; column += k) multiply_slice<k>(a, slice, s, column);
    if constexpr (k > 1) multiply_columns<k / 2>(a, slice, s, column);
}

}  // namespace

template <class T>
void spmm_compressed(OpenMP& backend, const HostCompressedSell<T>& a, const SpmmArguments<T>& s) {
    constexpr Index k = compiled_register_bytes / sizeof(T);
    compressed::for_slices(backend, a, [&](Index slice) { multiply_columns<k>(a, slice, s, 0); });
}

template void spmm_compressed(OpenMP&, const HostCompressedSell<double>&, const SpmmArguments<double>&);
template void spmm_compressed(OpenMP&, const HostCompressedSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::openmp
