#include "bench/suites/gemm_suite.hpp"

#include "bench/blas_reference.hpp"
#include "bench/suites/blas_libraries.hpp"
#include "bench/suites/gemm_calls.hpp"
#include "bench/suites/suite_matrices.hpp"

#include <cmath>

namespace stiefel::bench {

namespace {

using SharedProduct = std::shared_ptr<Lazy<DenseProduct>>;

/// The cases of one size.
class GemmCases {
public:
    GemmCases(Index n, const SuiteOptions& options, std::vector<Case>& cases)
        : n_(n), options_(options), cases_(cases), product_(lazy<DenseProduct>([n, options] {
              require_memory(options, 24.0 * n * n, fmt::format("a product of {} x {}", n, n));
              OpenMP host;
              return DenseProduct(n, n, n, random_vector<double>(host, Size{n} * n, 1));
          })) {}

    template <class B>
    void add_ladder(const std::shared_ptr<B>& backend) {
        for (const auto& kernel : gemm_kernels<double>(*backend)) {
            if (kernel.precision.empty()) add(backend, kernel, {}, "ladder", {});
        }
    }

    /// The rungs that leave the tile open.
    template <class B>
    void add_tiles(const std::shared_ptr<B>& backend, std::initializer_list<Index> tiles) {
        for (const auto& kernel : gemm_kernels<double>(*backend)) {
            if (kernel.name != "tiled") continue;
            for (const Index tile : tiles) add(backend, kernel, {.tile = tile}, "tiles", {{"tile", Size{tile}}});
        }
    }

    void add_schedules(const std::shared_ptr<OpenMP>& backend) {
        for (const auto& kernel : gemm_kernels<double>(*backend)) {
            if (kernel.name.starts_with("packed")) continue;  // they share out their work themselves
            for (const Schedule schedule : {Schedule::none, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
                add(backend, kernel, {.schedule = schedule}, "schedules",
                    {{"schedule", std::string(to_string(schedule))}});
            }
        }
    }

    void add_reference(const HostBlas& blas, const std::shared_ptr<OpenMP>& backend) {
        const auto measure = [product = product_, blas, backend](CaseRecord& record, const Sampler& sampler) {
            DenseProduct& p = product->get();
            record.work = gemm_work<double>(p.m, p.n, p.k);
            blas.set_threads(backend->threads());
            const auto call = [&] { blas.gemm(p.m, p.n, p.k, p.a.data(), p.b.data(), p.c.data()); };
            p.forget();
            call();
            check_gemm(p, blas.name(), record);
            sampler.take(timed_calls(*backend, call), record.seconds);
        };
        cases_.push_back({.labels = labels("ladder", backend_labels(*backend), blas.name(), {}),
                          .measure = measure,
                          .weight = weight()});
    }

    template <class B>
    void add_cublas(const std::shared_ptr<B>& backend) {
        const std::shared_ptr<CudaBlas> blas = CudaBlas::open(*backend);
        if (blas == nullptr) return;
        const auto measure = [=, product = product_](CaseRecord& record, const Sampler& sampler) {
            measure_gemm_call(
                *backend, product->get(), "cuBLAS",
                [&](const auto& a, const auto& b, auto& c, const DenseProduct& p) {
                    blas->gemm(p.m, p.n, p.k, a.data(), b.data(), c.data());
                },
                record, sampler);
        };
        cases_.push_back({.labels = labels("ladder", backend_labels(*backend), "cuBLAS", {}),
                          .measure = measure,
                          .weight = weight()});
    }

private:
    Labels labels(const char* part, const Labels& backend, std::string_view kernel, const Labels& more) const {
        Labels all = joined({{"part", part}, {"n", Size{n_}}}, backend);
        return joined(joined(std::move(all), {{"kernel", std::string(kernel)}}), more);
    }

    double weight() const { return 1 + std::pow(n_ / 512.0, 3); }

    template <class B>
    void add(const std::shared_ptr<B>& backend, const GemmKernel<B, double>& kernel, const GemmTuning& tuning,
             const char* part, const Labels& more) {
        const auto measure = [=, product = product_, limit = options_.limit_seconds, listed = &kernel](
                                 CaseRecord& record, const Sampler& sampler) {
            measure_gemm(*backend, *listed, tuning, product->get(), limit, record, sampler);
        };
        cases_.push_back({.labels = labels(part, backend_labels(*backend), kernel.name, more),
                          .measure = measure,
                          .weight = weight()});
    }

    Index n_;
    const SuiteOptions& options_;
    std::vector<Case>& cases_;
    SharedProduct product_;
};

}  // namespace

Libraries gemm_suite_libraries(const SuiteOptions& options) {
    return blas_libraries(options);
}

std::vector<Case> gemm_suite_cases(const SuiteOptions& options) {
    const std::vector<HostBlas> references = HostBlas::all();
    std::vector<Case> cases;
    for (Index n = 128; n <= (options.quick ? 512 : 32768); n *= 2) {
        GemmCases size(n, options, cases);
        on_host_backends(options.backends, [&]<class B>(const std::shared_ptr<B>& backend) {
            size.add_ladder(backend);
            if constexpr (std::is_same_v<B, OpenMP>) {
                for (const HostBlas& blas : references) size.add_reference(blas, backend);
                size.add_schedules(backend);
            }
            size.add_tiles(backend, {4, 8, 16, 32, 64, 128, 256});
        });
        on_device(options.backends, [&](const auto& backend) {
            size.add_ladder(backend);
            size.add_cublas(backend);
            size.add_tiles(backend, {1, 2, 4, 8, 16, 32});
        });
    }
    return cases;
}

}  // namespace stiefel::bench
