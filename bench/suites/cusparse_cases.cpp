#include "bench/suites/cusparse_cases.hpp"

#include "bench/build_info.hpp"
#include "bench/cuda/spgemm_reference.hpp"
#include "bench/cuda/spsv_both_triangles.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/product_device_cases.hpp"
#include "bench/suites/timed_calls.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

namespace stiefel::bench {

namespace {

using BothTriangles = CusparseBothTriangles<double>;

/// In a graph where cuSPARSE lets itself be recorded, else by calls on the stream.
template <class F>
std::function<double()> timed_reference(Cuda& backend, F& call) {
    try {
        return timed_calls(backend, call);
    } catch (const Error&) {
        return [&] { return stream_seconds(backend, call); };
    }
}

void measure_cusparse_triangular(const TriangularOperand& operand, Cuda& backend, BothTriangles::Stored stored,
                                 CaseRecord& record, const Sampler& sampler) {
    describe_triangular(operand, record);
    const TriangularSystem<double>& system = operand.system->get();
    DeviceVector<double> r(backend, system.n()), z(backend, system.n());
    upload(backend, system.r(), r);
    HostVector<double> found(system.n(), std::numeric_limits<double>::quiet_NaN());
    upload(backend, found, z);
    BothTriangles solve(backend, system.factor(), stored, r, z);
    record.set("prepare_seconds", solve.analysis_seconds());
    const auto call = [&] { solve.run(); };
    call();
    download(backend, z, found);
    check_triangular(operand, found, 1, record);
    sampler.take(timed_reference(backend, call), record.seconds);
}

}  // namespace

void add_cusparse_triangular(const TriangularOperand& operand, const std::shared_ptr<Cuda>& backend,
                             std::vector<Case>& cases) {
    for (const auto stored : BothTriangles::all) {
        const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
            measure_cusparse_triangular(operand, *backend, stored, record, sampler);
        };
        const Labels labels = joined(operand.labels, backend_labels(*backend));
        cases.push_back({.labels = joined(labels, {{"kernel", BothTriangles::name(stored)}}),
                         .measure = measure,
                         .weight = operand.weight});
    }
}

void add_cusparse_products(const SuiteProduct& product, const std::shared_ptr<Cuda>& backend,
                           std::vector<Case>& cases) {
    for (const auto algorithm : CusparseSpgemm::all) {
        const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
            CusparseSpgemm cusparse(*backend, algorithm);
            const auto multiply = [&](Cuda&, UploadedOperands& uploaded, const Product& of) {
                return of.run(uploaded, [&](const auto& x, const auto& y) { return cusparse.multiply(x, y); });
            };
            // The order of its columns is its own: entries are counted.
            const auto accept = [&](const DeviceCsr<double>& c) {
                if (c.nnz() == product.reference->get().nnz()) return;
                throw WrongResult(fmt::format("{}: {} leaves {} entries in place of {}",
                                              label_text(record.labels, "matrix"), CusparseSpgemm::name(algorithm),
                                              c.nnz(), product.reference->get().nnz()));
            };
            measure_device_product(product, *backend, multiply, accept, record, sampler);
        };
        cases.push_back({.labels = product_labels(product, backend_labels(*backend), CusparseSpgemm::name(algorithm)),
                         .measure = measure,
                         .weight = product.weight});
    }
}

Libraries cusparse_libraries(const SuiteOptions& options) {
    if (!options.backends.cuda) return {};
    return {{"cuSPARSE", "of CUDA " + build_cuda()}};
}

}  // namespace stiefel::bench
