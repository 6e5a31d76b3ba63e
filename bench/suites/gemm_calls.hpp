#pragma once

#include "bench/suites/dense_operands.hpp"
#include "bench/suites/lazy.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/suite.hpp"
#include "bench/suites/timed_calls.hpp"

#include "stiefel/dense/gemm_kernels.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

template <class B>
GemmArguments<double> arguments_of(MatrixOf<B, const double> a, MatrixOf<B, const double> b, MatrixOf<B, double> c) {
    return gemm_arguments<double, typename B::memory>(Op::none, Op::none, 1, a, b, 0, c);
}

/// Throws Refused where the rung would take longer than the limit, by a small product of the same kind: large ones take
/// longer still.
template <class B>
void require_gemm_time(B& backend, const GemmKernel<B, double>& kernel, const GemmTuning& tuning,
                       const DenseProduct& product, double limit_seconds) {
    const Index edge = HostBackend<B> ? 128 : 1024;
    const double flops = gemm_work<double>(product.m, product.n, product.k).flops;
    const double ratio = flops / gemm_work<double>(edge, edge, edge).flops;
    if (ratio < 1) return;
    auto v = make_vector<double>(backend, Size{edge} * edge);
    auto w = make_vector<double>(backend, Size{edge} * edge);
    upload(backend, HostVector<double>(v.size(), 1.0), v);
    const auto operand = as_matrix(std::as_const(v), edge, edge);
    const auto arguments = arguments_of<B>(operand, operand, as_matrix(w, edge, edge));
    double best = limit_seconds;
    for (int attempt = 0; attempt < 3; ++attempt) {
        best = std::min(best, seconds_of(backend, [&] { kernel.run(backend, arguments, tuning); }));
    }
    if (best * ratio <= limit_seconds) return;
    throw Refused(
        fmt::format("a call would take {:.1f} s or more, beyond --limit-seconds {:g}", best * ratio, limit_seconds));
}

inline void check_gemm(const DenseProduct& product, std::string_view kernel, CaseRecord& record) {
    const Deviation found = product.check();
    record.set("max_relative_error", found.largest);
    record.set("mean_relative_error", found.mean);
    if (found.accepted) return;
    throw WrongResult(
        fmt::format("gemm {} on {}, {} x {} x {}: a wrong result, off by {:.1e} of the sum of absolute products",
                    kernel, label_text(record.labels, "backend"), product.m, product.n, product.k, found.largest));
}

/// A rung on a product: checked, then timed.
template <HostBackend B>
void measure_gemm(B& backend, const GemmKernel<B, double>& kernel, const GemmTuning& tuning, DenseProduct& p,
                  double limit_seconds, CaseRecord& record, const Sampler& sampler) {
    record.work = gemm_work<double>(p.m, p.n, p.k);
    require_gemm_time(backend, kernel, tuning, p, limit_seconds);
    const auto arguments = arguments_of<B>(as_matrix(std::as_const(p.a), p.m, p.k),
                                           as_matrix(std::as_const(p.b), p.k, p.n), as_matrix(p.c, p.m, p.n));
    const auto call = [&] { kernel.run(backend, arguments, tuning); };
    p.forget();
    call();
    check_gemm(p, kernel.name, record);
    sampler.take(timed_calls(backend, call), record.seconds);
}

#ifdef STIEFEL_HAS_CUDA
/// call(a, b, c, product) on the device; not in a graph, for a call takes long beside its start.
template <class F>
void measure_gemm_call(Cuda& backend, DenseProduct& p, std::string_view name, F&& multiply, CaseRecord& record,
                       const Sampler& sampler) {
    record.work = gemm_work<double>(p.m, p.n, p.k);
    DeviceVector<double> a(backend, p.a.size()), b(backend, p.b.size()), c(backend, p.c.size());
    upload(backend, p.a, a);
    upload(backend, p.b, b);
    p.forget();
    upload(backend, p.c, c);
    const auto call = [&] { multiply(std::as_const(a), std::as_const(b), c, p); };
    call();
    download(backend, c, p.c);
    check_gemm(p, name, record);
    sampler.take([&] { return seconds_of(backend, call); }, record.seconds);
}

inline void measure_gemm(Cuda& backend, const GemmKernel<Cuda, double>& kernel, const GemmTuning& tuning,
                         DenseProduct& product, double limit_seconds, CaseRecord& record, const Sampler& sampler) {
    require_gemm_time(backend, kernel, tuning, product, limit_seconds);
    const auto multiply = [&](const auto& a, const auto& b, auto& c, const DenseProduct& p) {
        kernel.run(backend, arguments_of<Cuda>(as_matrix(a, p.m, p.k), as_matrix(b, p.k, p.n), as_matrix(c, p.m, p.n)),
                   tuning);
    };
    measure_gemm_call(backend, product, kernel.name, multiply, record, sampler);
}
#endif

}  // namespace stiefel::bench
