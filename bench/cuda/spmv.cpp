#include "stiefel/spmv/spmv.hpp"
#include "bench/cuda/commands.hpp"
#include "bench/cuda/reference.hpp"
#include "bench/cuda/setting.hpp"
#include "bench/cuda/timing.hpp"
#include "bench/listing.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

// Medians of events; GB/s by the minimal bytes of spmv_work; fractions of the copy rate of the same run.

namespace stiefel::bench {

namespace {

struct Row {
    std::string kernel;
    double seconds;
};

/// Times every rung of every format and cuSPARSE.
template <class T>
std::vector<Row> time_spmv_once(Cuda& backend, const DeviceCsr<T>& csr) {
    std::vector<Row> rows;
    const auto x = numbers<T>(backend, csr.n_cols);
    DeviceVector<T> y(backend, csr.n_rows);
    const auto time_rungs = [&](const auto& a, const std::string& format) {
        for (const auto& kernel : spmv_kernels(backend, a)) {
            rows.push_back({format + " " + std::string(kernel.name), median_seconds(backend, [&] {
                                backend.restart_sweeps();  // no call finds its predecessor's end in the cache
                                kernel.run(backend, a, {.x = x.data(), .y = y.data()});
                            })});
        }
    };
    const auto if_it_fits = [&](auto&& make, const std::string& format) {
        try {
            time_rungs(make(), format);
        } catch (const InvalidArgument&) {
        }
    };
    time_rungs(csr, "csr");
    if_it_fits([&] { return ellpack_from_csr(backend, csr, EllpackLayout::column_major); }, "ellpack-columns");
    if_it_fits([&] { return ellpack_from_csr(backend, csr, EllpackLayout::row_major); }, "ellpack-rows");
    for (Index sigma : {1, 256, 4096}) {
        if_it_fits([&] { return sell_from_csr(backend, csr, 32, sigma); }, fmt::format("sell-32-{}", sigma));
    }
    if_it_fits([&] { return compressed_sell_from_csr(backend, csr, 1); }, "compressed-sell");
    {
        OpenMP host;
        HostCsr<T> on_host = to_host(backend, csr);
        const auto row_lengths = row_statistics(host, on_host);
        const auto chosen = choose_operator<Cuda, T>(backend, to_device(backend, on_host), row_lengths);
        rows.push_back({fmt::format("auto: {} {}", chosen.a.format(), chosen.a.kernel()), median_seconds(backend, [&] {
                            backend.restart_sweeps();
                            chosen.a.run(backend, {.x = x.data(), .y = y.data()});
                        })});
    }
    for (const auto algorithm : CusparseSpmv::all) {
        const auto sell =
            algorithm == CusparseSpmv::Algorithm::sell ? sell_from_csr(backend, csr, 32, 1, {1e9}) : DeviceSell<T>{};
        CusparseSpmv reference(backend, algorithm, csr, sell, x, y);
        rows.push_back({CusparseSpmv::name(algorithm), median_seconds(backend, [&] { reference.run(); })});
    }
    return rows;
}

/// The faster of two rounds for each: the clock of a device that has been waiting for the host comes up late.
template <class T>
std::vector<Row> time_spmv(Cuda& backend, const DeviceCsr<T>& csr) {
    std::vector<Row> rows = time_spmv_once(backend, csr);
    for (const Row& again : time_spmv_once(backend, csr)) {
        const auto same = [&](const Row& row) { return row.kernel == again.kernel; };
        const auto row = std::find_if(rows.begin(), rows.end(), same);
        if (row != rows.end()) row->seconds = std::min(row->seconds, again.seconds);  // else auto has taken another
    }
    return rows;
}

template <class T>
void bench_spmv(Cuda& backend, OpenMP& host, double bandwidth, const CudaProblem& problem) {
    const auto csr = to_device(backend, converted<T>(problem.make(host)));
    const double bytes = spmv_work(csr).bytes;
    fmt::print("\n{}: {} rows, {} nnz, floor {:.1f} us\n", problem.name, csr.n_rows, csr.nnz(),
               1e6 * bytes / bandwidth);
    for (const Row& row : time_spmv(backend, csr)) {
        fmt::print("  {:<28} {:9.2f} us {:8.1f} GB/s {:6.3f}\n", row.kernel, 1e6 * row.seconds,
                   1e-9 * bytes / row.seconds, bytes / row.seconds / bandwidth);
    }
    const auto time_conversion = [&](const char* name, auto&& convert) {
        convert();
        backend.synchronize();
        const Stopwatch watch;
        convert();
        backend.synchronize();
        fmt::print("  {:<28} {:9.2f} us\n", name, 1e6 * watch.seconds());
    };
    time_conversion("convert to sell-32-1", [&] { sell_from_csr(backend, csr, 32, 1, {1e9}); });
    time_conversion("convert to sell-32-256", [&] { sell_from_csr(backend, csr, 32, 256, {1e9}); });
    time_conversion("convert to compressed-sell", [&] { compressed_sell_from_csr(backend, csr, 1, {1e9}); });
    std::cout << std::flush;
}

Whose whose(const std::string& kernel) {
    if (kernel.starts_with("cusparse")) return Whose::cusparse;
    return kernel.starts_with("auto") ? Whose::chosen : Whose::ours;
}

/// Best rung and cuSPARSE's best for every matrix in a folder, and the geometric mean of their ratio.
void bench_matrices(Cuda& backend, OpenMP& host, const std::string& folder) {
    double log_best = 0, log_chosen = 0;
    int count = 0, off = 0;
    for (const auto& file : matrix_files(folder)) {
        const auto read = read_matrix<double>(file.string());
        const auto csr = to_device(backend, csr_from_coo(host, read.coo).csr);
        if (csr.nnz() == 0) continue;
        const auto rows = time_spmv(backend, csr);
        const auto best_of = [&](Whose side) {
            const Row* best = nullptr;
            for (const Row& row : rows) {
                if (whose(row.kernel) == side && (best == nullptr || row.seconds < best->seconds)) best = &row;
            }
            return *best;
        };
        const Row ours = best_of(Whose::ours), chosen = best_of(Whose::chosen), theirs = best_of(Whose::cusparse);
        fmt::print("  {:<40} {:>7} nnz  {:<24} {:6.2f} us   {:<28} {:6.2f} us   {:<17} {:6.2f} us   x {:.2f}\n",
                   file.filename().string(), csr.nnz(), ours.kernel, 1e6 * ours.seconds, chosen.kernel,
                   1e6 * chosen.seconds, theirs.kernel, 1e6 * theirs.seconds, theirs.seconds / ours.seconds);
        log_best += std::log(theirs.seconds / ours.seconds);
        log_chosen += std::log(theirs.seconds / chosen.seconds);
        off += chosen.seconds > 1.05 * ours.seconds;
        if (chosen.seconds > 1.05 * ours.seconds) {
            fmt::print("      beyond 5 %:");
            for (const Row& row : rows) {
                if (row.seconds < 1.3 * ours.seconds) fmt::print(" {} {:.2f};", row.kernel, 1e6 * row.seconds);
            }
            fmt::print("\n");
        }
        ++count;
    }
    fmt::print("geometric mean over {} matrices: best rung x {:.3f}, auto x {:.3f}; auto beyond 5 % of the best: {}\n",
               count, std::exp(log_best / count), std::exp(log_chosen / count), off);
}

}  // namespace

int run_cuda_spmv(const std::vector<std::string>& arguments) {
    const CudaSetting setting = parse_cuda_setting(arguments);
    CudaMachine machine;
    if (!setting.folder.empty()) {
        bench_matrices(machine.backend, machine.host, setting.folder);
        return 0;
    }
    for (const CudaProblem& problem : cuda_problems(setting.part)) {
        if (!problem.large) continue;
        setting.single ? bench_spmv<float>(machine.backend, machine.host, machine.bandwidth, problem)
                       : bench_spmv<double>(machine.backend, machine.host, machine.bandwidth, problem);
    }
    return 0;
}

namespace {

template <class Matrix>
void list_spmv_rungs(const Cuda& backend) {
    const Matrix like;
    for (const auto& kernel : spmv_kernels(backend, like)) print_rung(backend.name, kernel);
}

}  // namespace

void list_cuda_spmv(const Cuda& backend) {
    AllFormats::for_each(
        [&]<template <class, class> class Format>() { list_spmv_rungs<Format<double, DeviceMemory>>(backend); });
}

}  // namespace stiefel::bench
