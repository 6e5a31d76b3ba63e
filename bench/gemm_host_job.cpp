#include "bench/gemm_job.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/packed/micro_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace stiefel::bench {

template <class T>
double host_peak(int threads) {
    const MicroKernel<T>& kernel = micro_kernels<T>().back();
    constexpr Size k = 256;
    constexpr int calls = 20000;
    double best = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        Stopwatch watch;
#pragma omp parallel num_threads(threads)
        {
            const HostVector<T> a(k * kernel.mr, T{1});
            const HostVector<T> b(k * kernel.nr, T{1});
            HostVector<T> c(Size{kernel.mr} * kernel.nr, T{0});
            for (int call = 0; call < calls; ++call) kernel.multiply(k, a.data(), b.data(), 1, 1, c.data(), kernel.nr);
        }
        const double flops = 2.0 * static_cast<double>(k) * kernel.mr * kernel.nr * calls * threads;
        best = std::max(best, flops / watch.seconds());
    }
    return best;
}

template <class T>
GemmHostJob<T>::GemmHostJob(Index n, int threads)
    : n_(n),
      openmp_(threads),
      a_(random_vector<T>(openmp_, Size{n} * n, 1)),
      b_(random_vector<T>(openmp_, Size{n} * n, 2)),
      c_(make_vector<T>(openmp_, Size{n} * n)),
      reference_(make_vector<T>(openmp_, Size{n} * n)),
      absolutes_(make_vector<T>(openmp_, Size{n} * n)),
      references_(HostBlas::all()) {
    const auto product = [&](const HostVector<T>& x, const HostVector<T>& y, HostVector<T>& z) {
        if (references_.empty()) {
            const auto kernel = gemm_kernels<T>(serial_).front();
            kernel.run(serial_,
                       gemm_arguments<T, HostMemory>(Op::none, Op::none, 1, as_matrix(x, n, n), as_matrix(y, n, n), 0,
                                                     as_matrix(z, n, n)),
                       {});
        } else {
            references_[0].set_threads(openmp_.threads());
            references_[0].gemm(n, n, n, x.data(), y.data(), z.data());
        }
    };
    product(a_, b_, reference_);
    product(absolute(openmp_, a_), absolute(openmp_, b_), absolutes_);
}

template <class T>
Ladder GemmHostJob<T>::blank(const DenseSetting& setting, const std::string& what) const {
    Ladder ladder;
    ladder.title =
        fmt::format("gemm {} {}: {} x {}, host, {} threads, {} micro-kernel", sizeof(T) == 8 ? "fp64" : "fp32", what,
                    n_, n_, openmp_.threads(), micro_kernels<T>().back().instructions);
    ladder.work = gemm_work<T>(n_, n_, n_);
    ladder.peak = host_peak<T>(openmp_.threads());
    ladder.peak_name = "of peak";
    ladder.repetitions = setting.repetitions;
    ladder.limit_seconds = setting.limit_seconds;
    return ladder;
}

template <class T>
Deviation GemmHostJob<T>::check() {
    return deviation(c_, reference_, absolutes_, n_);
}

/// How long a rung will take at size n, from a product of 128 x 128 (in cache: large ones take longer still).
template <class Backend, class T>
double expected_seconds(Backend& backend, const GemmKernel<Backend, T>& kernel, const GemmTuning& tuning, Index n) {
    constexpr Index small = 128;
    const HostVector<T> x(Size{small} * small, T{1});
    HostVector<T> z(Size{small} * small);
    const auto arguments = gemm_arguments<T, HostMemory>(Op::none, Op::none, 1, as_matrix(x, small, small),
                                                         as_matrix(x, small, small), 0, as_matrix(z, small, small));
    double best = std::numeric_limits<double>::max();
    for (int attempt = 0; attempt < 5; ++attempt) {
        Stopwatch watch;
        kernel.run(backend, arguments, tuning);
        best = std::min(best, watch.seconds());
    }
    const double ratio = static_cast<double>(n) / small;
    return best * ratio * ratio * ratio;
}

template <class T>
template <class Backend>
Rung GemmHostJob<T>::rung(Backend& backend, const GemmKernel<Backend, T>& kernel, const GemmTuning& tuning,
                          const std::string& name) {
    Rung rung;
    rung.name = name;
    rung.run = [this, &backend, kernel, tuning] {
        std::fill(c_.begin(), c_.end(), std::numeric_limits<T>::quiet_NaN());
        const auto arguments =
            gemm_arguments<T, HostMemory>(Op::none, Op::none, 1, as_matrix(std::as_const(a_), n_, n_),
                                          as_matrix(std::as_const(b_), n_, n_), 0, as_matrix(c_, n_, n_));
        Stopwatch watch;
        kernel.run(backend, arguments, tuning);
        return watch.seconds();
    };
    rung.deviation = [this] { return check(); };
    rung.expected_seconds = expected_seconds(backend, kernel, tuning, n_);
    return rung;
}

template <class T>
void GemmHostJob<T>::add_references(Ladder& ladder) {
    for (const HostBlas& blas : references_) {
        Rung rung;
        rung.name = blas.name();
        rung.is_reference = true;
        rung.run = [this, &blas] {
            blas.set_threads(openmp_.threads());
            Stopwatch watch;
            blas.gemm(n_, n_, n_, a_.data(), b_.data(), c_.data());
            return watch.seconds();
        };
        rung.deviation = [this] { return check(); };
        ladder.rungs.push_back(rung);
    }
}

template <class T>
Ladder GemmHostJob<T>::ladder(const DenseSetting& setting) {
    Ladder ladder = blank(setting, "ladder");
    for (const auto& kernel : gemm_kernels<T>(serial_)) {
        ladder.rungs.push_back(rung(serial_, kernel, {}, "serial " + std::string(kernel.name)));
        ladder.rungs.back().peak = ladder.peak / openmp_.threads();
    }
    for (const auto& kernel : gemm_kernels<T>(openmp_)) {
        ladder.rungs.push_back(rung(openmp_, kernel, {}, "openmp " + std::string(kernel.name)));
    }
    add_references(ladder);
    return ladder;
}

template <class T>
Ladder GemmHostJob<T>::schedules(const DenseSetting& setting) {
    Ladder ladder = blank(setting, "schedules");
    for (const auto& kernel : gemm_kernels<T>(openmp_)) {
        if (kernel.name.starts_with("packed")) continue;
        for (const Schedule schedule : {Schedule::none, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
            const std::string name = fmt::format("{} {}", kernel.name, to_string(schedule));
            ladder.rungs.push_back(rung(openmp_, kernel, {.schedule = schedule}, name));
        }
    }
    add_references(ladder);
    return ladder;
}

template <class T>
Ladder GemmHostJob<T>::tiles(const DenseSetting& setting) {
    Ladder ladder = blank(setting, "tiles");
    const auto kernels = gemm_kernels<T>(openmp_);
    const auto tiled = *std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.name == "tiled"; });
    for (const Index tile : {4, 8, 16, 32, 64, 128, 256}) {
        ladder.rungs.push_back(rung(openmp_, tiled, {.tile = tile}, fmt::format("tiled {}", tile)));
    }
    add_references(ladder);
    return ladder;
}

template class GemmHostJob<double>;
template class GemmHostJob<float>;

}  // namespace stiefel::bench
