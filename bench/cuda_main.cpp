#include "bench/cuda_reference.hpp"
#include "bench/cuda_spmm.hpp"
#include "bench/cuda_timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>

// stiefel-bench-cuda spmv|spmm|cg|crossover|matrices|spmm-matrices [--float] [FOLDER]: the figures of
// docs/performance.md, with cuSPARSE and cuBLAS beside them. Medians of events; GB/s by the minimal bytes of spmv_work;
// fractions of the copy rate of the same run.

namespace stiefel::bench {

namespace {

struct Problem {
    std::string name;
    std::function<HostCsr<double>(OpenMP&)> make;
    bool large = true;      // worth a measurement of SpMV
    bool symmetric = true;  // positive definite: CG is measured
};

const Problem problems[] = {
    {"5-point 2000^2", [](OpenMP& b) { return poisson2d<double>(b, 2000, 2000); }},
    {"7-point 160^3", [](OpenMP& b) { return poisson3d<double>(b, 160, 160, 160); }},
    {"27-point 128^3", [](OpenMP& b) { return stencil27<double>(b, 128, 128, 128); }},
    {"power-law 1M", [](OpenMP& b) { return power_law_rows<double>(b, 1000000, 1000000); }, true, false},
    {"5-point 32^2", [](OpenMP& b) { return poisson2d<double>(b, 32, 32); }, false},
    {"5-point 100^2", [](OpenMP& b) { return poisson2d<double>(b, 100, 100); }, false},
    {"5-point 300^2", [](OpenMP& b) { return poisson2d<double>(b, 300, 300); }, false},
    {"5-point 600^2", [](OpenMP& b) { return poisson2d<double>(b, 600, 600); }, false},
    {"5-point 1000^2", [](OpenMP& b) { return poisson2d<double>(b, 1000, 1000); }, false},
};

template <class T>
HostCsr<T> converted(HostCsr<double> a) {
    if constexpr (std::is_same_v<T, double>) {
        return a;
    } else {
        HostCsr<T> b{.n_rows = a.n_rows, .n_cols = a.n_cols};
        b.row_ptr = std::move(a.row_ptr);
        b.col_idx = std::move(a.col_idx);
        b.values = HostVector<T>(a.values.size());
        for (Size i = 0; i < b.values.size(); ++i) b.values[i] = static_cast<T>(a.values[i]);
        return b;
    }
}

template <class T>
DeviceVector<T> numbers(Cuda& backend, Size n) {
    HostVector<T> v(n);
    for (Size i = 0; i < n; ++i) v[i] = static_cast<T>(0.5 + static_cast<double>((i * 7919) % 1000) / 1000);
    DeviceVector<T> there(backend, n);
    upload(backend, v, there);
    return there;
}

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
void bench_spmv(Cuda& backend, OpenMP& host, double bandwidth, const Problem& problem) {
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
    std::cout << std::flush;
}

/// A matrix that CG solves through the graph, however small: the operator has no set_resident.
struct OutsideOfMultiprocessors {
    const DeviceSell<double>& a;
    Index n_rows() const { return a.n_rows; }
};
void spmv(Cuda& backend, const OutsideOfMultiprocessors& o, const DeviceVector<double>& x, DeviceVector<double>& y,
          double alpha, double beta) {
    stiefel::spmv(backend, o.a, x, y, alpha, beta);
}
void spmv_dot(Cuda& backend, const OutsideOfMultiprocessors& o, const DeviceVector<double>& x, DeviceVector<double>& y,
              double* dot) {
    stiefel::spmv_dot(backend, o.a, x, y, dot);
}

enum class Whose { ours, chosen, cusparse };

Whose whose(const std::string& kernel) {
    if (kernel.starts_with("cusparse")) return Whose::cusparse;
    return kernel.starts_with("auto") ? Whose::chosen : Whose::ours;
}

/// Best rung and cuSPARSE's best for every matrix in a folder, and the geometric mean of their ratio.
void bench_matrices(Cuda& backend, OpenMP& host, const std::string& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().string().find(".mtx") != std::string::npos) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    double log_best = 0, log_chosen = 0;
    int count = 0, off = 0;
    for (const auto& file : files) {
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

/// Seconds an iteration: the difference of a long and a short run, so that what happens once cancels.
template <class T, class A>
double cg_seconds(Cuda& backend, const A& a, const DeviceVector<T>& b, Size iterations,
                  std::vector<KernelTime>& kernels) {
    const auto run = [&](Size n) {
        DeviceVector<T> x(backend, b.size());
        fill(backend, T{0}, x);
        const SolveResult result = cg(backend, a, b, x, {.rtol = 0, .max_iterations = n});
        if (result.iterations != n) fmt::print("  stopped after {} of {}\n", result.iterations, n);
        kernels = result.kernels;
        return result.seconds;
    };
    run(iterations / 4);
    std::vector<double> samples(5);
    for (double& s : samples) {
        const double brief = run(iterations / 4);
        s = (run(iterations) - brief) / static_cast<double>(iterations - iterations / 4);
    }
    std::nth_element(samples.begin(), samples.begin() + 2, samples.end());
    return samples[2];
}

/// The operands of set_resident.
struct CudaVectors {
    DeviceVector<double> x, r, p;
    DeviceVector<CgState> state;
    CudaVectors(Cuda& backend, Size n) : x(backend, n), r(backend, n), p(backend, n), state(backend, 1) {}
};

void bench_cg(Cuda& backend, OpenMP& host, double bandwidth, const Problem& problem, Size iterations) {
    const auto csr = to_device(backend, problem.make(host));
    const auto sell = sell_from_csr(backend, csr, 32, 1);
    const auto b = numbers<double>(backend, csr.n_rows);
    const double floor = (12.0 * static_cast<double>(csr.nnz()) + 92.0 * csr.n_rows) / bandwidth;
    fmt::print("\ncg, {}: {} rows, floor {:.2f} us\n", problem.name, csr.n_rows, 1e6 * floor);
    std::vector<KernelTime> kernels;
    const auto print = [&](const char* name, double seconds) {
        fmt::print("  {:<20} {:9.2f} us an iteration {:6.3f} of the floor\n", name, 1e6 * seconds, floor / seconds);
        for (const KernelTime& kernel : kernels) {
            const double each = kernel.seconds / static_cast<double>(kernel.calls);
            fmt::print("      {:<16} {:9.2f} us {:8.1f} GB/s\n", kernel.name, 1e6 * each,
                       1e-9 * kernel.work.bytes / each);
        }
        kernels.clear();
        std::cout << std::flush;
    };
    print("sell-32-1", cg_seconds<double>(backend, sell, b, iterations, kernels));
    print("csr", cg_seconds<double>(backend, csr, b, iterations, kernels));
    print("cusparse + cublas", cusparse_cg_seconds(backend, csr, b, static_cast<int>(std::min<Size>(iterations, 200))));
}

/// Where CG had better leave the multiprocessors: an iteration in one resident kernel, where the system fits, beside
/// one in the graph.
void bench_crossover(Cuda& backend, OpenMP& host) {
    fmt::print("5-point n^2       unknowns     resident        graph\n");
    for (Index n : {32, 45, 64, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 800, 1000}) {
        const auto sell = sell_from_csr(backend, to_device(backend, poisson2d<double>(host, n, n)), 32, 1);
        const auto b = numbers<double>(backend, sell.n_rows);
        std::vector<KernelTime> kernels;
        CudaStep step;
        CudaVectors v(backend, sell.n_rows);
        set_resident(backend, step, sell, Identity{}, v.x, v.r, v.p, v.state);
        const double graph = cg_seconds<double>(backend, OutsideOfMultiprocessors{sell}, b, 400, kernels);
        const double as_chosen = step.resident ? cg_seconds<double>(backend, sell, b, 400, kernels) : 0;
        fmt::print("{:>11} {:>14} {:>9.2f} us {:>9.2f} us\n", n, sell.n_rows, 1e6 * as_chosen, 1e6 * graph);
        std::cout << std::flush;
    }
}

}  // namespace

}  // namespace stiefel::bench

int main(int argc, char** argv) {
    using namespace stiefel;
    using namespace stiefel::bench;
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool single = std::erase(arguments, "--float") > 0;
    arguments.resize(2);
    const std::string command = arguments[0], which = arguments[1];
    const bool on_problems = command == "spmv" || command == "spmm" || command == "cg";
    const bool on_files = (command == "matrices" || command == "spmm-matrices") && !which.empty();
    if (!on_problems && !on_files && command != "crossover" && command != "--list") {
        fmt::print(stderr,
                   "usage: stiefel-bench-cuda spmv|spmm|cg [PART OF A PROBLEM'S NAME] [--float] | crossover |\n"
                   "       matrices|spmm-matrices FOLDER | --list\n");
        return 1;
    }
    Cuda backend;
    if (command == "--list") {
        list_cuda_spmm(backend);
        return 0;
    }
    OpenMP host;
    const double bandwidth = copy_bandwidth(backend);
    fmt::print("{}: copy {:.0f} GB/s\n", backend.device().name, 1e-9 * bandwidth);
    if (command == "crossover") {
        bench_crossover(backend, host);
        return 0;
    }
    if (command == "matrices") {
        bench_matrices(backend, host, which);
        return 0;
    }
    if (command == "spmm-matrices") {
        bench_spmm_matrices(backend, host, which, 8);
        return 0;
    }
    for (const Problem& problem : problems) {
        if (problem.name.find(which) == std::string::npos) continue;
        if (command == "cg") {
            if (problem.symmetric) bench_cg(backend, host, bandwidth, problem, 400);
        } else if (command == "spmm") {
            for (const Index k : {8, 32}) {
                if (!problem.large) continue;
                single ? bench_spmm(backend, host, bandwidth, problem.name, converted<float>(problem.make(host)), k)
                       : bench_spmm(backend, host, bandwidth, problem.name, problem.make(host), k);
            }
        } else if (problem.large) {
            single ? bench_spmv<float>(backend, host, bandwidth, problem)
                   : bench_spmv<double>(backend, host, bandwidth, problem);
        }
    }
    return 0;
}
