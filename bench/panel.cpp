#include "bench/panel.hpp"

#include "bench/blas_reference.hpp"
#include "bench/dense_setting.hpp"
#include "bench/operands.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/panel.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

constexpr Index widths[] = {1, 2, 4, 8, 16, 24, 32, 64};

/// Minimal bytes over time as shares of the bandwidth; the rates of the two that have most to compute.
template <class T>
void print_width(Index k, const double (&seconds)[4], double cublas, Index n, double bandwidth) {
    const auto share = [&](const Work& work, double s) {
        return s > 0 ? fmt::format("{:.3f}", work.bytes / s / bandwidth) : std::string();
    };
    const auto gflops = [](const Work& work, double s) { return work.flops / s / 1e9; };
    const Work product = gram_work<T>(n, k, k, false);
    const Work update = panel_update_work<T>(n, k, k, true);
    fmt::print("{:>4}{:>10.1f}{:>10}{:>10}{:>11}{:>11}{:>12}{:>12.1f}{:>13.1f}\n", k, bandwidth / 1e9,
               share(product, seconds[0]), share(gram_work<T>(n, k, k, true), seconds[1]), share(update, seconds[2]),
               share(panel_update_work<T>(n, k, k, false), seconds[3]), share(product, cublas),
               gflops(product, seconds[0]), gflops(update, seconds[2]));
    std::fflush(stdout);
}

void print_head(const char* type, Index n, const std::string& where, const char* what) {
    fmt::print(
        "\npanels {}: {} rows, {}; shares of {} bandwidth\n{:>4}{:>10}{:>10}{:>10}{:>11}{:>11}{:>12}{:>12}{:>13}\n",
        type, n, where, what, "k", "GB/s", "P'Q", "P'P", "Y += X B", "Y = X B", "cuBLAS P'Q", "P'Q GFLOP/s",
        "Y += GFLOP/s");
}

/// gram of two panels and of one, panel_update with and without reading Y.
template <class Backend, class T, class Timer>
void time_width(Backend& backend, Index n, Index k, int repetitions, Timer&& timed, double (&seconds)[4],
                const VectorOf<Backend, T>& p, VectorOf<Backend, T>& q, VectorOf<Backend, double>& g) {
    const auto x = as_matrix(p, n, k);
    const auto y = as_matrix(q, n, k);
    const auto small = as_matrix(g, k, k);
    const auto coefficients = as_matrix(std::as_const(g), k, k);
    seconds[0] = median_seconds([&] { return timed([&] { gram<T>(backend, x, y, small); }); }, repetitions);
    seconds[1] = median_seconds([&] { return timed([&] { gram<T>(backend, x, x, small); }); }, repetitions);
    seconds[2] = median_seconds([&] { return timed([&] { panel_update<T>(backend, 1e-9, x, coefficients, 1, y); }); },
                                repetitions);
    seconds[3] = median_seconds([&] { return timed([&] { panel_update<T>(backend, 1e-9, x, coefficients, 0, y); }); },
                                repetitions);
}

template <class T>
void on_host(const DenseSetting& setting, Index n) {
    OpenMP backend(setting.threads);
    print_head(sizeof(T) == 8 ? "fp64" : "fp32", n, fmt::format("host, {} threads", backend.threads()), "read");
    const auto timed = [](auto&& f) {
        Stopwatch watch;
        f();
        return watch.seconds();
    };
    for (const Index k : widths) {
        const HostVector<T> p = random_vector<T>(backend, Size{n} * k, 1);
        HostVector<T> q = random_vector<T>(backend, Size{n} * k, 2);
        HostVector<double> g(Size{k} * k);
        const double bandwidth = host_read_bandwidth(backend.threads());  // a shared machine's changes by the minute
        double seconds[4];
        time_width<OpenMP, T>(backend, n, k, setting.repetitions, timed, seconds, p, q, g);
        print_width<T>(k, seconds, 0, n, bandwidth);
    }
}

template <class T>
void on_cuda([[maybe_unused]] const DenseSetting& setting, [[maybe_unused]] Index n) {
#ifdef STIEFEL_HAS_CUDA
    Cuda backend;
    OpenMP host;
    const double bandwidth = copy_bandwidth(backend);
    const auto cublas = CudaBlas::open(backend);
    print_head(sizeof(T) == 8 ? "fp64" : "fp32", n, backend.device().name, "copy");
    const auto timed = [&backend](auto&& f) {
        CudaEvent begin, end;
        begin.record(backend);
        f();
        end.record(backend);
        return end.seconds_since(begin);
    };
    for (const Index k : widths) {
        DeviceVector<T> p(backend, Size{n} * k);
        DeviceVector<T> q(backend, Size{n} * k);
        DeviceVector<double> g(backend, Size{k} * k);
        upload(backend, random_vector<T>(host, p.size(), 1), p);
        upload(backend, random_vector<T>(host, q.size(), 2), q);
        double seconds[4];
        time_width<Cuda, T>(backend, n, k, setting.repetitions, timed, seconds, p, q, g);
        double reference = 0;
        if constexpr (std::is_same_v<T, double>) {
            if (cublas != nullptr) {
                reference =
                    median_seconds([&] { return timed([&] { cublas->gram(n, k, p.data(), q.data(), g.data()); }); },
                                   setting.repetitions);
            }
        }
        print_width<T>(k, seconds, reference, n, bandwidth);
    }
#else
    throw InvalidArgument("--backend cuda: this stiefel-bench was built without CUDA");
#endif
}

}  // namespace

int run_panel(const std::vector<std::string>& arguments) {
    const DenseSetting setting = parse_dense_setting(arguments, {.sizes = {4000000}});
    if (!setting.sweep.empty()) throw InvalidArgument("--sweep is for gemm");
    for (const Index n : setting.sizes) {
        if (setting.cuda) {
            setting.single ? on_cuda<float>(setting, n) : on_cuda<double>(setting, n);
        } else {
            setting.single ? on_host<float>(setting, n) : on_host<double>(setting, n);
        }
    }
    return 0;
}

}  // namespace stiefel::bench
