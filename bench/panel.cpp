#include "bench/panel.hpp"

#include "bench/blas_reference.hpp"
#include "bench/dense_setting.hpp"
#include "bench/operands.hpp"
#include "bench/panel_operations.hpp"

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/timing.hpp"

#include <fmt/format.h>

#include <array>

namespace stiefel::bench {

namespace {

constexpr Index widths[] = {1, 2, 4, 8, 16, 24, 32, 64};

/// In the order of panel_operations.
using PanelSeconds = std::array<double, panel_operations.size()>;

/// Minimal bytes over time as shares of the bandwidth; the rates of the two that have most to compute.
template <class T>
void print_width(Index k, const PanelSeconds& seconds, double cublas, Index n, double bandwidth) {
    const auto share = [&](const Work& work, double s) {
        return s > 0 ? fmt::format("{:.3f}", work.bytes / s / bandwidth) : std::string();
    };
    const auto gflops = [](const Work& work, double s) { return work.flops / s / 1e9; };
    const auto work = [&](PanelOperation operation) { return panel_work<T>(operation, n, k); };
    const Work product = work(PanelOperation::gram_of_two), update = work(PanelOperation::update);
    fmt::print("{:>4}{:>10.1f}", k, bandwidth / 1e9);
    constexpr int column_widths[] = {10, 10, 11, 11};
    for (std::size_t i = 0; i < panel_operations.size(); ++i) {
        fmt::print("{:>{}}", share(work(panel_operations[i]), seconds[i]), column_widths[i]);
    }
    fmt::print("{:>12}{:>12.1f}{:>13.1f}\n", share(product, cublas), gflops(product, seconds[0]),
               gflops(update, seconds[2]));
    std::fflush(stdout);
}

void print_head(const char* type, Index n, const std::string& where, const char* what) {
    fmt::print(
        "\npanels {}: {} rows, {}; shares of {} bandwidth\n{:>4}{:>10}{:>10}{:>10}{:>11}{:>11}{:>12}{:>12}{:>13}\n",
        type, n, where, what, "k", "GB/s", "P'Q", "P'P", "Y += X B", "Y = X B", "cuBLAS P'Q", "P'Q GFLOP/s",
        "Y += GFLOP/s");
}

template <class Backend, class T, class Timer>
PanelSeconds time_width(Backend& backend, Index n, Index k, int repetitions, Timer&& timed,
                        const VectorOf<Backend, T>& p, VectorOf<Backend, T>& q, VectorOf<Backend, double>& g) {
    const PanelOperands<Backend, T> operands{as_matrix(p, n, k), as_matrix(q, n, k), as_matrix(g, k, k)};
    PanelSeconds seconds{};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        const auto call = [&] { run_panel(backend, panel_operations[i], operands); };
        seconds[i] = median_seconds([&] { return timed(call); }, repetitions);
    }
    return seconds;
}

template <class T>
void panel_on_host(const DenseSetting& setting, Index n) {
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
        const PanelSeconds seconds = time_width<OpenMP, T>(backend, n, k, setting.repetitions, timed, p, q, g);
        print_width<T>(k, seconds, 0, n, bandwidth);
    }
}

template <class T>
void panel_on_cuda([[maybe_unused]] const DenseSetting& setting, [[maybe_unused]] Index n) {
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
        const PanelSeconds seconds = time_width<Cuda, T>(backend, n, k, setting.repetitions, timed, p, q, g);
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
            setting.single ? panel_on_cuda<float>(setting, n) : panel_on_cuda<double>(setting, n);
        } else {
            setting.single ? panel_on_host<float>(setting, n) : panel_on_host<double>(setting, n);
        }
    }
    return 0;
}

}  // namespace stiefel::bench
