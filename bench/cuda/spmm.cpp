#include "bench/cuda/commands.hpp"
#include "bench/cuda/reference.hpp"
#include "bench/cuda/setting.hpp"
#include "bench/cuda/timing.hpp"
#include "bench/listing.hpp"
#include "bench/spmm_result.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <optional>

namespace stiefel::bench {

namespace {

struct Timing {
    std::string kernel;
    Whose whose = Whose::ours;
    double seconds = 0;
    Deviation deviation = {};
};

/// Times every rung of every format and cuSPARSE's algorithms on one panel.
template <class T>
class SpmmBench {
public:
    SpmmBench(Cuda& backend, OpenMP& host, const HostCsr<T>& a, Index k)
        : backend_(backend),
          host_(host),
          a_(a),
          result_(host, a, k),
          csr_(to_device(backend, a)),
          x_(backend, Size{a.n_cols} * k),
          y_(backend, Size{a.n_rows} * k) {
        upload(backend, result_.x(), x_);
    }

    std::vector<Timing> run() {
        time_rungs(csr_, "csr");
        unless_padding_forbids([&] {
            time_rungs(ellpack_from_csr(backend_, csr_, EllpackLayout::row_major), "ellpack-rows");
            time_rungs(ellpack_from_csr(backend_, csr_, EllpackLayout::column_major), "ellpack-columns");
        });
        unless_padding_forbids([&] { time_rungs(sell_from_csr(backend_, csr_, 32, 1), "sell-32"); });
        unless_padding_forbids([&] { time_rungs(sell_from_csr(backend_, csr_, 32, 256), "sell-32-256"); });
        time_chosen();
        for (const auto algorithm : CusparseSpmm::all) {
            try {
                CusparseSpmm reference(backend_, algorithm, csr_, x_, y_, result_.k());
                time(CusparseSpmm::name(algorithm), Whose::cusparse, [&] { reference.run(); });
            } catch (const Error& error) {
                fmt::print("  {}: {}\n", CusparseSpmm::name(algorithm), error.what());
            }
        }
        return std::move(timings_);
    }

private:
    template <class F>
    void time(std::string name, Whose whose, F&& call) {
        backend_.zero_bytes(y_.data(), y_.bytes());
        call();
        HostVector<T> y(y_.size());
        download(backend_, y_, y);
        Timing timing{.kernel = std::move(name), .whose = whose, .deviation = result_.of(y)};
        timing.seconds = timing.deviation.accepted ? median_seconds(backend_, call) : std::nan("");
        timings_.push_back(std::move(timing));
    }

    SpmmArguments<T> arguments() {
        const Index k = result_.k();
        return {.x = x_.data(), .ldx = k, .y = y_.data(), .ldy = k, .k = k};
    }

    template <class Matrix>
    void time_rungs(const Matrix& a, const std::string& format) {
        for (const auto& kernel : spmm_kernels(backend_, a)) {
            time(format + " " + std::string(kernel.name), Whose::ours, [&] { kernel.run(backend_, a, arguments()); });
        }
    }

    template <class F>
    void unless_padding_forbids(F&& f) {
        try {
            f();
        } catch (const InvalidArgument&) {
        }
    }

    void time_chosen() {
        const auto rows = row_statistics(host_, a_);
        const auto chosen = choose_operator<Cuda, T>(backend_, to_device(backend_, a_), rows, {.columns = result_.k()});
        const Index k = result_.k();
        time(fmt::format("auto: {}", chosen.a.format()), Whose::chosen, [&] {
            spmm(backend_, chosen.a, as_matrix(std::as_const(x_), a_.n_cols, k), as_matrix(y_, a_.n_rows, k));
        });
    }

    Cuda& backend_;
    OpenMP& host_;
    const HostCsr<T>& a_;
    SpmmResult<T> result_;
    DeviceCsr<T> csr_;
    DeviceVector<T> x_;
    DeviceVector<T> y_;
    std::vector<Timing> timings_;
};

const Timing* fastest(const std::vector<Timing>& timings, Whose whose) {
    const Timing* best = nullptr;
    for (const Timing& timing : timings) {
        if (timing.whose == whose && (best == nullptr || !(timing.seconds >= best->seconds))) best = &timing;
    }
    return best;
}

template <class Matrix>
void list_spmm_rungs(const Cuda& backend) {
    const Matrix like;
    for (const auto& kernel : spmm_kernels(backend, like)) print_rung(backend.name, kernel);
}

/// One matrix and panels of k columns as a table, cuSPARSE's algorithms beside the ladders. Each result is compared
/// with the serial kernel's first; a wrong one is said to be wrong and its time does not count.
template <class T>
void bench_spmm(Cuda& backend, OpenMP& host, double bandwidth, const std::string& name, const HostCsr<T>& a, Index k) {
    const double bytes = spmm_work(a, k).bytes;
    fmt::print("\n{}, {} columns: {} rows, {} nnz, floor {:.1f} us\n{:<30} {:>12} {:>8} {:>8} {:>8} {:>10} {:>10}\n",
               name, k, a.n_rows, a.nnz(), 1e6 * bytes / bandwidth, "", "time", "GB/s", "of copy", "x cusp.",
               "max error", "mean");
    const auto timings = SpmmBench<T>(backend, host, a, k).run();
    const Timing* const reference = fastest(timings, Whose::cusparse);
    for (const Timing& t : timings) {
        fmt::print("  {:<28} {:9.2f} us {:8.0f} {:8.3f} {:8.2f} {:10.1e} {:10.1e}{}\n", t.kernel, 1e6 * t.seconds,
                   1e-9 * bytes / t.seconds, bytes / t.seconds / bandwidth,
                   reference != nullptr ? reference->seconds / t.seconds : std::nan(""), t.deviation.largest,
                   t.deviation.mean, t.deviation.accepted ? "" : "  WRONG");
    }
    std::cout << std::flush;
}

/// Our best rung, our default and cuSPARSE's best for every matrix in a folder, and the geometric means of their
/// ratios.
void bench_spmm_matrices(Cuda& backend, OpenMP& host, const std::string& folder, Index k) {
    double log_best = 0, log_default = 0, log_chosen = 0, max_error = 0, mean_error = 0;
    int count = 0, wrong = 0;
    for (const auto& file : matrix_files(folder)) {
        const auto a = csr_from_coo(host, read_matrix<double>(file.string()).coo).csr;
        if (a.nnz() == 0) continue;
        const auto timings = SpmmBench<double>(backend, host, a, k).run();
        const Timing& ours = *fastest(timings, Whose::ours);
        const Timing& chosen = *fastest(timings, Whose::chosen);
        const Timing& theirs = *fastest(timings, Whose::cusparse);
        const Timing* csr = nullptr;  // the default rung of CSR: the last
        for (const Timing& t : timings) {
            if (t.kernel.starts_with("csr ")) csr = &t;
            wrong += t.whose != Whose::cusparse && !t.deviation.accepted;
            if (t.whose == Whose::ours) max_error = std::max(max_error, t.deviation.largest);
        }
        fmt::print(
            "  {:<28} {:>8} nnz  {:<28} {:7.2f} us  {:<14} {:7.2f} us  csr default {:7.2f} us  {:<20} {:7.2f} us"
            "   x {:.2f}\n",
            file.filename().string(), a.nnz(), ours.kernel, 1e6 * ours.seconds, chosen.kernel, 1e6 * chosen.seconds,
            1e6 * csr->seconds, theirs.kernel, 1e6 * theirs.seconds, theirs.seconds / ours.seconds);
        log_best += std::log(theirs.seconds / ours.seconds);
        log_chosen += std::log(theirs.seconds / chosen.seconds);
        log_default += std::log(theirs.seconds / csr->seconds);
        mean_error += ours.deviation.mean;
        ++count;
    }
    fmt::print(
        "geometric mean over {} matrices, {} columns: best rung x {:.3f}, auto x {:.3f}, csr default x {:.3f}; "
        "relative error max {:.1e}, mean {:.1e}; wrong results: {}\n",
        count, k, std::exp(log_best / count), std::exp(log_chosen / count), std::exp(log_default / count), max_error,
        mean_error / count, wrong);
}

}  // namespace

int run_cuda_spmm(const std::vector<std::string>& arguments) {
    const CudaSetting setting = parse_cuda_setting(arguments);
    CudaMachine machine;
    if (!setting.folder.empty()) {
        bench_spmm_matrices(machine.backend, machine.host, setting.folder, 8);
        return 0;
    }
    const auto bench = [&]<class T>(const std::string& name, const HostCsr<T>& a) {
        for (const Index k : {8, 32}) bench_spmm(machine.backend, machine.host, machine.bandwidth, name, a, k);
    };
    for (const CudaProblem& problem : cuda_problems(setting.part)) {
        if (!problem.large) continue;
        HostCsr<double> a = problem.make(machine.host);
        setting.single ? bench(problem.name, converted<float>(std::move(a))) : bench(problem.name, a);
    }
    return 0;
}

void list_cuda_spmm(const Cuda& backend) {
    AllFormats::for_each(
        [&]<template <class, class> class Format>() { list_spmm_rungs<Format<double, DeviceMemory>>(backend); });
}

}  // namespace stiefel::bench
