#include "bench/spmv.hpp"

#include "bench/comparison.hpp"
#include "bench/eigen_reference.hpp"
#include "bench/listing.hpp"
#include "bench/setting.hpp"
#include "bench/spmm.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace stiefel::bench {

namespace {

/// A matrix and vectors, and what y = A x must be.
class CheckedProduct {
public:
    CheckedProduct(OpenMP& backend, const HostCsr<double>& a)
        : backend_(backend),
          a_(a),
          x_(make_vector<double>(backend, a.n_cols)),
          y_(make_vector<double>(backend, a.n_rows)),
          expected_(make_vector<double>(backend, a.n_rows)) {
        for (Index j = 0; j < a.n_cols; ++j) x_[j] = std::sin(1.0 + j);
        Serial serial;
        spmv(serial, a, x_, expected_);
    }

    const HostVector<double>& x() const { return x_; }
    HostVector<double>& y() { return y_; }

    /// Runs it once and compares: a kernel's time counts only if its result is right.
    void check(const std::string& name, const std::function<void()>& run) {
        std::fill(y_.begin(), y_.end(), std::numeric_limits<double>::quiet_NaN());
        run();
        a_.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a_.n_rows; ++i) {
                double absolutes = 0;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
                    absolutes += std::abs(a_.values[k] * x_[a_.col_idx[k]]);
                const double bound = 2 * static_cast<double>(row_ptr[i + 1] - row_ptr[i]) *
                                     std::numeric_limits<double>::epsilon() * absolutes;
                if (std::abs(y_[i] - expected_[i]) <= bound) continue;
                throw Error(fmt::format("{} gives y[{}] = {}, serial {}", name, i, y_[i], expected_[i]));
            }
        });
    }

    template <class Matrix>
    void add_rungs(const std::string& label, const Matrix& matrix, Comparison& comparison) {
        for (const auto& kernel : spmv_kernels(backend_, matrix)) {
            const std::string name = fmt::format("{}/{}", label, kernel.name);
            const auto run = [this, &matrix, run_kernel = kernel.run] {
                run_kernel(backend_, matrix, {.x = x_.data(), .y = y_.data()});
            };
            check(name, run);
            comparison.contenders.push_back({.name = name, .run = run, .work = spmv_work(a_)});
        }
    }

private:
    OpenMP& backend_;
    const HostCsr<double>& a_;
    HostVector<double> x_;
    HostVector<double> y_;
    HostVector<double> expected_;
};

/// The formats of one matrix that padding allows.
struct Formats {
    std::vector<HostEllpack<double>> ellpack;
    std::vector<HostSell<double>> sell;
    std::vector<HostCompressedSell<double>> compressed_sell;
};

Formats make_formats(OpenMP& backend, const HostCsr<double>& a) {
    Formats formats;
    const auto unless_padding_forbids = [](auto&& convert) {
        try {
            convert();
        } catch (const InvalidArgument& error) {
            fmt::print("left out: {}\n", error.what());
        }
    };
    for (EllpackLayout layout : {EllpackLayout::row_major, EllpackLayout::column_major}) {
        unless_padding_forbids([&] { formats.ellpack.push_back(ellpack_from_csr(backend, a, layout)); });
    }
    for (Index height : {8, 16, 32}) {
        unless_padding_forbids([&] { formats.sell.push_back(sell_from_csr(backend, a, height, 1)); });
    }
    unless_padding_forbids([&] { formats.compressed_sell.push_back(compressed_sell_from_csr(backend, a, 1)); });
    return formats;
}

template <class Matrix>
void print_rungs() {
    const Matrix like;
    const auto print = [&](const auto& backend) {
        for (const auto& kernel : spmv_kernels(backend, like)) print_rung(backend.name, kernel);
    };
    print(Serial{});
    print(OpenMP(1));
}

/// Entries in an order that neither rows nor columns have anything to do with.
Coo<double> shuffled(const Coo<double>& coo) {
    const Size n = coo.n_entries();
    Size step = n / 3 + 1;  // a step prime to n visits every entry once
    while (std::gcd(step, n) != 1) ++step;
    Coo<double> result{.n_rows = coo.n_rows, .n_cols = coo.n_cols, .symmetry = coo.symmetry};
    result.row_idx = HostVector<Index>(n);
    result.col_idx = HostVector<Index>(n);
    result.values = HostVector<double>(n);
    for (Size e = 0, from = 0; e < n; ++e, from = (from + step) % n) {
        result.row_idx[e] = coo.row_idx[from];
        result.col_idx[e] = coo.col_idx[from];
        result.values[e] = coo.values[from];
    }
    return result;
}

}  // namespace

int run_spmv(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"160"}});
    OpenMP backend(setting.threads);
    const ReadProbe probe = read_probe(backend.threads());
    const HostCsr<double> a = make_matrix(backend, setting);
    const Formats formats = make_formats(backend, a);
    const EigenReference eigen(a, backend.threads());

    CheckedProduct product(backend, a);
    Comparison comparison{
        .job = "spmv", .problem = describe(setting, a, backend.threads()), .contenders = {}, .bandwidth = &probe};
    product.add_rungs("csr", a, comparison);
    for (const auto& matrix : formats.ellpack) {
        product.add_rungs(matrix.layout == EllpackLayout::row_major ? "ellpack-rows" : "ellpack-columns", matrix,
                          comparison);
    }
    for (const auto& matrix : formats.sell) {
        product.add_rungs(fmt::format("sell-{}", matrix.slice_height), matrix, comparison);
    }
    for (const auto& matrix : formats.compressed_sell) product.add_rungs("compressed-sell", matrix, comparison);
    const auto reference = [&] { eigen.spmv(product.x(), product.y()); };
    product.check("eigen", reference);
    comparison.contenders.push_back({.name = "eigen", .run = reference, .work = spmv_work(a), .is_reference = true});
    run(comparison);
    return 0;
}

int run_convert(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"160"}});
    OpenMP backend(setting.threads);
    const HostCsr<double> a = make_matrix(backend, setting);
    const Coo<double> general = coo_from_csr(backend, a);
    const Coo<double> random = shuffled(general);
    const Coo<double> lower = a.n_rows == a.n_cols ? coo_from_csr(backend, a, true) : Coo<double>{};
    const HostSell<double> sell = sell_from_csr(backend, a, 8, 1);
    CheckedProduct product(backend, a);

    Comparison comparison{.job = "convert", .problem = describe(setting, a, backend.threads()), .contenders = {}};
    const auto add = [&](const char* name, auto&& convert) {
        comparison.contenders.push_back({.name = name, .run = [convert] { convert(); }});
    };
    add("spmv (sell-8/simd)", [&] { spmv(backend, sell, product.x(), product.y()); });
    add("coo by rows -> csr", [&] { csr_from_coo(backend, general); });
    add("coo shuffled -> csr", [&] { csr_from_coo(backend, random); });
    add("coo lower triangle -> csr", [&] { csr_from_coo(backend, lower); });
    add("csr -> coo", [&] { coo_from_csr(backend, a); });
    add("csr -> ellpack by rows", [&] { ellpack_from_csr(backend, a, EllpackLayout::row_major); });
    add("csr -> ellpack by columns", [&] { ellpack_from_csr(backend, a, EllpackLayout::column_major); });
    add("csr -> sell-8", [&] { sell_from_csr(backend, a, 8, 1); });
    add("csr -> sell-32", [&] { sell_from_csr(backend, a, 32, 1); });
    add("csr -> sell-32-256", [&] { sell_from_csr(backend, a, 32, 256); });
    add("csr -> compressed-sell", [&] { compressed_sell_from_csr(backend, a, 1); });
    const std::vector<double> medians = run(comparison);
    fmt::print("\nin products with the matrix:\n");
    for (std::size_t i = 1; i < medians.size(); ++i) {
        fmt::print("  {:<28} {:>6.1f}\n", comparison.contenders[i].name, medians[i] / medians[0]);
    }
    return 0;
}

int list_kernels(const std::vector<std::string>& arguments) {
    require(arguments.empty(), "--list takes no arguments");
    AllFormats::for_each([]<template <class, class> class Format>() { print_rungs<Format<double, HostMemory>>(); });
    list_spmm_kernels();
    list_cuda_kernels();
    return 0;
}

}  // namespace stiefel::bench
