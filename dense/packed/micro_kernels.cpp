#include "stiefel/dense/packed/micro_kernel.hpp"

#include <type_traits>
#include <vector>

namespace stiefel {

template <class T>
std::span<const MicroKernel<T>> micro_kernels() {
    static const std::vector<MicroKernel<T>> runnable = [] {
        constexpr bool is_double = std::is_same_v<T, double>;
        const auto pick = [](const auto& of_double, const auto& of_float) -> const MicroKernel<T>& {
            if constexpr (is_double) {
                return of_double;
            } else {
                return of_float;
            }
        };
        std::vector<MicroKernel<T>> list{pick(baseline_double, baseline_float)};
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            list.push_back(pick(avx2_double, avx2_float));
        if (__builtin_cpu_supports("avx512f")) list.push_back(pick(avx512_double, avx512_float));
#endif
        return list;
    }();
    return runnable;
}

template std::span<const MicroKernel<double>> micro_kernels();
template std::span<const MicroKernel<float>> micro_kernels();

}  // namespace stiefel
