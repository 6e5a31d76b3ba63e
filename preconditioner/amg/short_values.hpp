#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <cstdint>

namespace stiefel::amg {

// The values of a level's matrix in 16 bits. Scaled to a unit diagonal none exceeds 1, if it is positive definite, so
// they need no exponent: they are whole multiples of a unit, and each is changed by half of one at most. 1 is 32760
// units, which halves, thirds and so on to tenths are whole numbers of, twelfths, and 26ths too: what stencils have is
// held as it is. What is less than half a unit becomes padding.

inline constexpr float units_of_one = 32760;
inline constexpr float short_unit = 1 / units_of_one;
/// The most that a value is changed by.
inline constexpr double short_rounding = 0.5 / units_of_one;

/// A value in units: the nearest, and at most as many as there are.
constexpr std::int16_t in_units(float value) {
    constexpr float most = 32767;
    const float units = value * units_of_one;
    const float within = units < -most ? -most : units > most ? most : units;
    return static_cast<std::int16_t>(within + (within < 0 ? -0.5F : 0.5F));
}

/// Those of a matrix, each in its place. Empty where they are not used.
template <class B>
struct ShortValues {
    VectorOf<B, std::int16_t> units;

    bool empty() const { return units.empty(); }
    Size bytes() const { return units.bytes(); }
};

/// One pass over the values.
ShortValues<OpenMP> short_values(OpenMP&, const HostCompressedSell<float>& a);
ShortValues<Cuda> short_values(Cuda&, const DeviceSell<float>& a);

/// Whether it repays: where values come from memory, and not the same again and again.
inline bool gains_by_rounding(const HostCompressedSell<float>& a) {
    constexpr Size least_bytes = 4 << 20;  // fewer stay in caches
    return a.values.bytes() >= least_bytes && 8 * a.values.size() >= 7 * a.nnz();
}
/// On a device short rows are not what a product waits for (H200: 7 entries 0.96 of a solve, 81 entries 0.91), and it
/// takes the set-up as long.
inline bool gains_by_rounding(const DeviceSell<float>& a) {
    constexpr Size least_bytes = 16 << 20, least_in_row = 16;
    return a.values.bytes() >= least_bytes && a.nnz() >= least_in_row * a.n_rows;
}

}  // namespace stiefel::amg
