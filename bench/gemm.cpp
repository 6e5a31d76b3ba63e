#include "bench/gemm.hpp"

#include "bench/gemm_job.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// M, M/2, ... threads down to 1, M four times the setting's: more threads than cores are part of the comparison.
std::vector<int> thread_counts(int threads) {
    std::vector<int> counts;
    for (int n = 4 * threads; n >= 1; n /= 2) counts.push_back(n);
    return counts;
}

template <class T>
int gemm_on_host(const DenseSetting& setting) {
    int wrong = 0;
    for (const Index n : setting.sizes) {
        const std::vector<int> counts =
            setting.sweep == "schedules" ? thread_counts(setting.threads) : std::vector<int>{setting.threads};
        for (const int threads : counts) {
            GemmHostJob<T> job(n, threads);
            Ladder ladder = setting.sweep == "schedules" ? job.schedules(setting)
                            : setting.sweep == "tiles"   ? job.tiles(setting)
                                                         : job.ladder(setting);
            wrong += print(ladder);
        }
    }
    return wrong;
}

template <class T>
int gemm_on_cuda([[maybe_unused]] const DenseSetting& setting) {
#ifdef STIEFEL_HAS_CUDA
    Cuda backend;
    int wrong = 0;
    for (const Index n : setting.sizes) {
        GemmCudaJob<T> job(backend, n);
        Ladder ladder = setting.sweep == "tiles" ? job.tiles(setting) : job.ladder(setting);
        wrong += print(ladder);
        if (sizeof(T) == 4 && setting.sweep != "tiles") {
            Ladder reduced = job.reduced(setting);
            wrong += print(reduced);
        }
    }
    return wrong;
#else
    throw InvalidArgument("--backend cuda: this stiefel-bench was built without CUDA");
#endif
}

}  // namespace

int run_gemm(const std::vector<std::string>& arguments) {
    DenseSetting setting = parse_dense_setting(arguments, {.sizes = {512, 2048}});
    if (setting.sweep == "sizes") {
        setting.sizes.clear();
        for (Index n = 64; n <= 8192; n *= 2) setting.sizes.push_back(n);
    } else if (!setting.sweep.empty() && setting.sweep != "tiles" && setting.sweep != "schedules") {
        throw InvalidArgument("--sweep must be sizes, tiles or schedules, not '" + setting.sweep + "'");
    }
    if (setting.sweep == "schedules" && setting.cuda) throw InvalidArgument("--sweep schedules is for --backend host");
    const int wrong = setting.cuda ? (setting.single ? gemm_on_cuda<float>(setting) : gemm_on_cuda<double>(setting))
                                   : (setting.single ? gemm_on_host<float>(setting) : gemm_on_host<double>(setting));
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
