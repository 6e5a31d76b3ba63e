#pragma once

// The text of sparse_cases.hpp, for spmv_cases.cpp and spmm_cases.cpp: what differs is an Operation,
//   kernels(backend, matrix)                 the rungs
//   run(kernel, backend, matrix, x, y, k)    one call
//   work(csr, k)
//   sweeps                                   whether calls on a device begin at the same end (Cuda::restart_sweeps)

#include "bench/spmm_result.hpp"
#include "bench/suites/lazy.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/sparse_cases.hpp"
#include "bench/suites/timed_calls.hpp"

#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

namespace stiefel::bench {

/// A format in one of its shapes: how it is made and what it stores, padding included.
template <class Matrix, class Source, class Converter>
struct FormatShape {
    std::string name;
    std::function<Matrix(Converter&, const Source&)> convert;
    std::function<FormatSize(OpenMP&, const HostCsr<double>&)> size;
};

template <class Matrix>
struct Converted {
    std::shared_ptr<const Matrix> matrix;
    double seconds;
};

/// CSR is there already.
template <class Matrix, class Source, class Converter, class F>
Converted<Matrix> converted_to(const FormatShape<Matrix, Source, Converter>& shape, Converter& converter,
                               const std::shared_ptr<Lazy<Source>>& a, F&& wait) {
    const Source& csr = a->get();
    if constexpr (std::is_same_v<Matrix, Source>) {
        return {std::shared_ptr<const Matrix>(a, &csr), 0};
    } else {
        wait();
        const Stopwatch watch;
        auto matrix = std::make_shared<const Matrix>(shape.convert(converter, csr));
        wait();
        return {std::move(matrix), watch.seconds()};
    }
}

/// What the cases of one matrix and one number of columns have in common.
struct SparseProduct {
    SparseOperand operand;
    std::shared_ptr<Lazy<HostCsr<double>>> a;
    std::shared_ptr<Lazy<SpmmResult<double>>> result;
    Index k;
};

inline SparseProduct sparse_product(const SparseOperand& operand, std::shared_ptr<Lazy<HostCsr<double>>> a, Index k) {
    auto result = lazy<SpmmResult<double>>([a, k] {
        OpenMP host;
        return SpmmResult<double>(host, a->get(), k);
    });
    return {operand, std::move(a), std::move(result), k};
}

/// Throws WrongResult unless y is what it must be. Notes the deviation.
inline void check_product(const SparseProduct& product, const std::string& kernel, const HostVector<double>& y,
                          CaseRecord& record) {
    const Deviation found = product.result->get().of(y);
    record.set("max_relative_error", found.largest);
    record.set("mean_relative_error", found.mean);
    if (found.accepted) return;
    throw WrongResult(fmt::format("{}: {} gives a wrong result, off by {:.1e} of the sum of absolute products",
                                  label_text(record.labels, "matrix"), kernel, found.largest));
}

/// Notes what is known of the matrix before it is in a format, which may be refused.
template <class Operation, class Shape>
void describe_product(const SparseProduct& product, const Shape& shape, CaseRecord& record) {
    OpenMP host;
    const HostCsr<double>& a = product.a->get();
    record.work = Operation::work(a, product.k);
    record.set("rows", a.n_rows);
    record.set("nnz", static_cast<double>(a.nnz()));
    const FormatSize size = shape.size(host, a);
    record.set("stored_entries", static_cast<double>(size.entries));
    record.set("stored_bytes", static_cast<double>(size.bytes(sizeof(double))));
}

template <class Operation, HostBackend B, class Matrix, class Kernel>
void measure_rung(const SparseProduct& product, B& backend, const Matrix& matrix, const Kernel& kernel,
                  const std::string& name, CaseRecord& record, const Sampler& sampler) {
    const auto& x = product.result->get().x();
    HostVector<double> y(Size{matrix.n_rows} * product.k, std::numeric_limits<double>::quiet_NaN());
    const auto call = [&] { Operation::run(kernel, backend, matrix, x.data(), y.data(), product.k); };
    call();
    check_product(product, name, y, record);
    sampler.take(timed_calls(backend, call), record.seconds);
}

template <class Operation, class B, class Matrix, class Shape>
void add_rungs(const SparseProduct& product, const Shape& shape,
               const std::shared_ptr<Lazy<Converted<Matrix>>>& converted, const std::shared_ptr<B>& backend,
               std::vector<Case>& cases) {
    for (const auto& kernel : Operation::kernels(*backend, Matrix{})) {
        const std::string name = fmt::format("{}/{}", shape.name, kernel.name);
        Labels labels = joined(product.operand.labels, backend_labels(*backend));
        labels = joined(std::move(labels), {{"format", shape.name}, {"kernel", name}});
        const auto measure = [=, listed = &kernel](CaseRecord& record, const Sampler& sampler) {
            describe_product<Operation>(product, shape, record);
            const Converted<Matrix>& made = converted->get();
            record.set("convert_seconds", made.seconds);
            measure_rung<Operation>(product, *backend, *made.matrix, *listed, name, record, sampler);
        };
        cases.push_back({.labels = std::move(labels), .measure = measure, .weight = product.operand.weight + 0.02});
    }
}

template <class Matrix>
using HostShape = FormatShape<Matrix, HostCsr<double>, OpenMP>;

/// One for all threads and for all panels of a matrix.
template <class Matrix>
auto convert_on_host(const std::shared_ptr<Lazy<HostCsr<double>>>& a, const HostShape<Matrix>& shape) {
    return lazy<Converted<Matrix>>([a, shape] {
        OpenMP host;
        return converted_to(shape, host, a, [] {});
    });
}

/// f(shape) for each of the host's.
template <class F>
void for_host_shapes(FormatRange range, F&& f) {
    using Csr = HostCsr<double>;
    f(HostShape<Csr>{
        "csr", {}, [](OpenMP& host, const Csr& a) { return FormatTraits<stiefel::Csr>::size(host, a, {}); }});
    const auto ellpack = [&](const char* name, EllpackLayout layout) {
        f(HostShape<HostEllpack<double>>{
            name, [=](OpenMP& host, const Csr& a) { return ellpack_from_csr(host, a, layout); },
            [=](OpenMP& host, const Csr& a) { return ellpack_size(host, a.row_ptr, layout); }});
    };
    const auto sell = [&](Index height, Index sigma) {
        f(HostShape<HostSell<double>>{
            sigma == 1 ? fmt::format("sell-{}", height) : fmt::format("sell-{}-{}", height, sigma),
            [=](OpenMP& host, const Csr& a) { return sell_from_csr(host, a, height, sigma); },
            [=](OpenMP& host, const Csr& a) {
                return sell_size(host, a.row_ptr, {height, sigma});
            }});
    };
    const bool all = range == FormatRange::all_shapes;
    ellpack("ellpack-rows", EllpackLayout::row_major);
    if (all) ellpack("ellpack-columns", EllpackLayout::column_major);
    if (all) sell(8, 1);
    sell(32, 1);
    if (all) sell(32, 256);
    f(HostShape<HostCompressedSell<double>>{
        "compressed-sell", [](OpenMP& host, const Csr& a) { return compressed_sell_from_csr(host, a, 1); },
        [](OpenMP& host, const Csr& a) { return compressed_sell_size(host, a, 1); }});
}

#ifdef STIEFEL_HAS_CUDA

template <class Matrix>
using DeviceShape = FormatShape<Matrix, DeviceCsr<double>, Cuda>;

template <class F>
void for_device_shapes(FormatRange range, F&& f) {
    using Csr = DeviceCsr<double>;
    using HostA = const HostCsr<double>&;
    f(DeviceShape<Csr>{"csr", {}, [](OpenMP& host, HostA a) { return FormatTraits<stiefel::Csr>::size(host, a, {}); }});
    const auto ellpack = [&](const char* name, EllpackLayout layout) {
        f(DeviceShape<DeviceEllpack<double>>{
            name, [=](Cuda& cuda, const Csr& a) { return ellpack_from_csr(cuda, a, layout); },
            [=](OpenMP& host, HostA a) { return ellpack_size(host, a.row_ptr, layout); }});
    };
    const auto sell = [&](Index sigma) {
        f(DeviceShape<DeviceSell<double>>{sigma == 1 ? "sell-32" : fmt::format("sell-32-{}", sigma),
                                          [=](Cuda& cuda, const Csr& a) { return sell_from_csr(cuda, a, 32, sigma); },
                                          [=](OpenMP& host, HostA a) {
                                              return sell_size(host, a.row_ptr, {32, sigma});
                                          }});
    };
    ellpack("ellpack-columns", EllpackLayout::column_major);
    if (range == FormatRange::all_shapes) ellpack("ellpack-rows", EllpackLayout::row_major);
    sell(1);
    if (range == FormatRange::all_shapes) sell(256);
    f(DeviceShape<DeviceCompressedSell<double>>{
        "compressed-sell", [](Cuda& cuda, const Csr& a) { return compressed_sell_from_csr(cuda, a, 1); },
        [](OpenMP& host, HostA a) { return compressed_sell_size(host, a, 1); }});
}

template <class Operation, class Matrix, class Kernel>
void measure_rung(const SparseProduct& product, Cuda& backend, const Matrix& matrix, const Kernel& kernel,
                  const std::string& name, CaseRecord& record, const Sampler& sampler) {
    const auto& on_host = product.result->get().x();
    DeviceVector<double> x(backend, on_host.size()), y(backend, Size{matrix.n_rows} * product.k);
    upload(backend, on_host, x);
    backend.zero_bytes(y.data(), y.bytes());
    const auto call = [&] {
        if (Operation::sweeps) backend.restart_sweeps();  // no call finds its predecessor's end in the cache
        Operation::run(kernel, backend, matrix, x.data(), y.data(), product.k);
    };
    call();
    HostVector<double> found(y.size());
    download(backend, y, found);
    check_product(product, name, found, record);
    sampler.take(timed_calls(backend, call), record.seconds);
}

template <class Operation>
void add_device_cases(const std::vector<SparseProduct>& products, FormatRange range,
                      const std::shared_ptr<Cuda>& backend, std::vector<Case>& cases) {
    const auto host_a = products.front().a;
    const auto a = lazy<DeviceCsr<double>>([host_a, backend] { return to_device(*backend, host_a->get()); });
    for_device_shapes(range, [&]<class Matrix>(const DeviceShape<Matrix>& shape) {
        const auto converted = lazy<Converted<Matrix>>(
            [a, shape, backend] { return converted_to(shape, *backend, a, [&] { backend->synchronize(); }); });
        for (const SparseProduct& product : products) {
            add_rungs<Operation>(product, shape, converted, backend, cases);
        }
    });
}

#endif

/// The cases of one matrix: format after format, so that one is held at a time.
template <class Operation>
void add_sparse_cases(const SparseOperand& operand, const std::vector<Index>& columns, FormatRange range,
                      const SuiteBackends& backends, std::vector<Case>& cases) {
    const auto a = lazy<HostCsr<double>>(operand.make);
    std::vector<SparseProduct> products;
    for (const Index k : columns) {
        SparseOperand labelled = operand;
        if (Operation::has_columns) labelled.labels.emplace_back("columns", Size{k});
        labelled.weight *= k;
        products.push_back(sparse_product(labelled, a, k));
    }
    for_host_shapes(range, [&]<class Matrix>(const HostShape<Matrix>& shape) {
        const auto converted = convert_on_host(a, shape);
        for (const SparseProduct& product : products) {
            on_host_backends(backends, [&](const auto& backend) {
                add_rungs<Operation>(product, shape, converted, backend, cases);
            });
        }
    });
    on_device(backends, [&]([[maybe_unused]] const auto& backend) {
#ifdef STIEFEL_HAS_CUDA
        add_device_cases<Operation>(products, range, backend, cases);
#endif
    });
}

}  // namespace stiefel::bench
