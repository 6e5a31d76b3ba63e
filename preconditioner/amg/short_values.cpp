#include "stiefel/preconditioner/amg/short_values.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

ShortValues<OpenMP> short_values(OpenMP& backend, const HostCompressedSell<float>& a) {
    const Size n = a.values.size();
    HostVector<std::int16_t> units(n);
    const float* const from = a.values.data();
    std::int16_t* const to = units.data();
#pragma omp parallel for simd num_threads(backend.threads()) schedule(static)
    for (Size k = 0; k < n; ++k) to[k] = in_units(from[k]);
    return {std::move(units)};
}

}  // namespace stiefel::amg
