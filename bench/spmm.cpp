#include "bench/spmm.hpp"

#include "bench/comparison.hpp"
#include "bench/eigen_reference.hpp"
#include "bench/listing.hpp"
#include "bench/setting.hpp"
#include "bench/spmm_result.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <fmt/format.h>

#include <charconv>

namespace stiefel::bench {

namespace {

/// Ways to multiply one matrix and one panel; each result is compared before its time counts.
class SpmmContenders {
public:
    SpmmContenders(OpenMP& backend, const HostCsr<double>& a, Index k, Comparison& comparison)
        : backend_(backend),
          a_(a),
          result_(backend, a, k),
          y_(make_vector<double>(backend, Size{a.n_rows} * k)),
          comparison_(comparison) {}

    template <class Matrix>
    void add_rungs(const std::string& label, const Matrix& matrix) {
        for (const auto& kernel : spmm_kernels(backend_, matrix)) {
            add(fmt::format("{}/{}", label, kernel.name), false, [this, &matrix, run = kernel.run] {
                const Index k = result_.k();
                run(backend_, matrix, {.x = result_.x().data(), .ldx = k, .y = y_.data(), .ldy = k, .k = k});
            });
        }
    }

    void add_eigen(const EigenReference& eigen) {
        add("eigen", true, [&] { eigen.spmm(result_.x(), y_, result_.k()); });
    }

    /// k products with vectors, by the default rung of a format.
    template <class Matrix>
    void add_products(const std::string& label, const Matrix& matrix) {
        const auto x = std::make_shared<HostVector<double>>(random_vector<double>(backend_, a_.n_cols, 3));
        const auto y = std::make_shared<HostVector<double>>(make_vector<double>(backend_, a_.n_rows));
        comparison_.contenders.push_back(
            {.name = fmt::format("{} x spmv {}/{}", result_.k(), label, spmv_kernels(backend_, matrix).back().name),
             .run =
                 [this, &matrix, x, y] {
                     for (Index j = 0; j < result_.k(); ++j) spmv(backend_, matrix, *x, *y);
                 },
             .work = spmm_work(a_, result_.k())});
    }

private:
    template <class F>
    void add(const std::string& name, bool is_reference, F run) {
        std::fill(y_.begin(), y_.end(), std::numeric_limits<double>::quiet_NaN());
        run();
        const Deviation found = result_.of(y_);
        fmt::print("{:<28} relative error max {:.1e}, mean {:.1e}\n", name, found.largest, found.mean);
        if (!found.accepted) throw Error(name + " gives a wrong result");
        comparison_.contenders.push_back(
            {.name = name, .run = run, .work = spmm_work(a_, result_.k()), .is_reference = is_reference});
    }

    OpenMP& backend_;
    const HostCsr<double>& a_;
    SpmmResult<double> result_;
    HostVector<double> y_;
    Comparison& comparison_;
};

/// Takes `--columns K` out of the arguments; 8 without it.
Index take_columns(std::vector<std::string>& arguments) {
    const auto flag = std::find(arguments.begin(), arguments.end(), "--columns");
    if (flag == arguments.end()) return 8;
    const std::string range = fmt::format("--columns needs a number from 1 to {}", max_spmm_columns);
    require(flag + 1 != arguments.end(), range.c_str());
    Index columns = 0;
    const char* const end = flag[1].data() + flag[1].size();
    const auto parsed = std::from_chars(flag[1].data(), end, columns);
    require(parsed.ec == std::errc{} && parsed.ptr == end && columns >= 1 && columns <= max_spmm_columns,
            range.c_str());
    arguments.erase(flag, flag + 2);
    return columns;
}

template <class Matrix>
void list_rungs() {
    const Matrix like;
    const auto print = [&](const auto& backend) {
        for (const auto& kernel : spmm_kernels(backend, like)) print_rung(backend.name, kernel);
    };
    print(Serial{});
    print(OpenMP(1));
}

}  // namespace

int run_spmm(const std::vector<std::string>& given) {
    std::vector<std::string> arguments = given;
    const Index k = take_columns(arguments);
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"128"}});
    OpenMP backend(setting.threads);
    const ReadProbe probe = read_probe(backend.threads());
    const HostCsr<double> a = make_matrix(backend, setting);
    const auto ellpack = ellpack_from_csr(backend, a, EllpackLayout::row_major);
    const auto sell = sell_from_csr(backend, a, sell_slice_height, 1);
    const EigenReference eigen(a, backend.threads());

    Comparison comparison{.job = fmt::format("spmm, {} columns", k),
                          .problem = describe(setting, a, backend.threads()),
                          .contenders = {},
                          .bandwidth = &probe};
    SpmmContenders contenders(backend, a, k, comparison);
    contenders.add_rungs("csr", a);
    contenders.add_rungs("ellpack-rows", ellpack);
    contenders.add_rungs("sell-32", sell);
    contenders.add_products("csr", a);
    contenders.add_products("ellpack-rows", ellpack);
    contenders.add_products("sell-32", sell);
    contenders.add_eigen(eigen);
    run(comparison);
    return 0;
}

void list_spmm_kernels() {
    fmt::print("spmm\n");
    AllFormats::for_each([]<template <class, class> class Format>() { list_rungs<Format<double, HostMemory>>(); });
}

}  // namespace stiefel::bench
