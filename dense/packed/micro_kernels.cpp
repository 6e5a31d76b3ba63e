#include "stiefel/core/instruction_sets.hpp"
#include "stiefel/dense/host/register_tile.hpp"
#include "stiefel/dense/packed/micro_kernel.hpp"
#include "stiefel/dense/packed/panel_kernel.hpp"

#include <type_traits>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace stiefel {

namespace {

template <class T, class OfDouble, class OfFloat>
const auto& pick(const OfDouble& of_double, const OfFloat& of_float) {
    if constexpr (std::is_same_v<T, double>) {
        return of_double;
    } else {
        return of_float;
    }
}

}  // namespace

template <class T>
std::span<const MicroKernel<T>> micro_kernels() {
    static const std::vector<MicroKernel<T>> runnable = [] {
        std::vector<MicroKernel<T>> list{pick<T>(baseline_double, baseline_float)};
        if (has_avx2()) list.push_back(pick<T>(avx2_double, avx2_float));
        if (has_avx512()) list.push_back(pick<T>(avx512_double, avx512_float));
        return list;
    }();
    return runnable;
}

template <class T>
const RegisterTile<T>& register_tile() {
    static const RegisterTile<T>& best = has_avx512() ? pick<T>(avx512_tile_double, avx512_tile_float)
                                         : has_avx2() ? pick<T>(avx2_tile_double, avx2_tile_float)
                                                      : pick<T>(baseline_tile_double, baseline_tile_float);
    return best;
}

std::span<const PanelKernel> panel_kernels() {
    static const std::vector<PanelKernel> runnable = [] {
        std::vector<PanelKernel> list{baseline_panel};
        if (has_avx2()) list.push_back(avx2_panel);
        if (has_avx512()) list.push_back(avx512_panel);
        return list;
    }();
    return runnable;
}

void stream_fence() {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

template std::span<const MicroKernel<double>> micro_kernels();
template std::span<const MicroKernel<float>> micro_kernels();
template const RegisterTile<double>& register_tile();
template const RegisterTile<float>& register_tile();

}  // namespace stiefel
