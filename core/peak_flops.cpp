#include "stiefel/core/peak_flops.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/instruction_sets.hpp"
#include "stiefel/core/multiply_adds/multiply_adds.hpp"
#include "stiefel/core/timing.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace stiefel {

namespace {

template <class T>
std::vector<MultiplyAdds<T>> those_of_this_machine(const MultiplyAdds<T>& baseline, const MultiplyAdds<T>& avx2,
                                                   const MultiplyAdds<T>& avx512) {
    std::vector<MultiplyAdds<T>> list{baseline};
    if (has_avx2()) list.push_back(avx2);
    if (has_avx512()) list.push_back(avx512);
    return list;
}

}  // namespace

template <>
std::vector<MultiplyAdds<double>> runnable_multiply_adds() {
    return those_of_this_machine(multiply_adds_baseline_double, multiply_adds_avx2_double, multiply_adds_avx512_double);
}
template <>
std::vector<MultiplyAdds<float>> runnable_multiply_adds() {
    return those_of_this_machine(multiply_adds_baseline_float, multiply_adds_avx2_float, multiply_adds_avx512_float);
}

template <class T>
double peak_flops(int threads) {
    require(threads > 0, "peak_flops: needs at least one thread");
    constexpr Size flops = Size{1} << 25;  // of a thread in a pass: 0.2 to 0.6 ms, so that starting it hardly counts
    const MultiplyAdds<T> kernel = runnable_multiply_adds<T>().back();
    const Size rounds = flops / kernel.flops;
    double best = std::numeric_limits<double>::max();
    for (int pass = 0; pass < 8; ++pass) {
        int n_wrong = 0;
        const Stopwatch watch;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : n_wrong)
        for (int thread = 0; thread < threads; ++thread) {
            n_wrong += kernel.run(rounds, T{0.5}, T{1}) == settled_sum(kernel) ? 0 : 1;
        }
        best = std::min(best, watch.seconds());
        // The sums are used, so that the work cannot be optimised away.
        if (n_wrong > 0) throw Error("peak_flops: the threads computed wrong sums");
    }
    return static_cast<double>(rounds * kernel.flops) * threads / best;
}

template double peak_flops<double>(int);
template double peak_flops<float>(int);

}  // namespace stiefel
