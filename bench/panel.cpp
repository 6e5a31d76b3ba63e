#include "bench/panel.hpp"

#include "bench/blas_reference.hpp"
#include "bench/dense_setting.hpp"
#include "bench/operands.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/panel.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

constexpr Index widths[] = {1, 2, 4, 8, 16, 32, 64};

template <class T>
void print_width(Index k, const double (&seconds)[4], double cublas, Index n, double bandwidth) {
    const auto share = [&](const Work& work, double s) {
        return s > 0 ? fmt::format("{:.3f}", work.bytes / s / bandwidth) : std::string();
    };
    fmt::print("{:>6}{:>14}{:>14}{:>18}{:>22}{:>16}\n", k, share(gram_work<T>(n, k, k, false), seconds[0]),
               share(gram_work<T>(n, k, k, true), seconds[1]), share(panel_update_work<T>(n, k, k, true), seconds[2]),
               share(panel_update_work<T>(n, k, k, false), seconds[3]), share(gram_work<T>(n, k, k, false), cublas));
}

void print_head(const char* type, Index n, const std::string& where, double bandwidth, const char* what) {
    fmt::print("\npanels {}: {} rows, {}; shares of {} bandwidth, {:.1f} GB/s\n{:>6}{:>14}{:>14}{:>18}{:>22}{:>16}\n",
               type, n, where, what, bandwidth / 1e9, "k", "gram P'Q", "gram P'P", "Y += X B", "Y = X B", "cuBLAS P'Q");
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
    const double bandwidth = host_read_bandwidth(backend.threads());
    print_head(sizeof(T) == 8 ? "fp64" : "fp32", n, fmt::format("host, {} threads", backend.threads()), bandwidth,
               "read");
    const auto timed = [](auto&& f) {
        Stopwatch watch;
        f();
        return watch.seconds();
    };
    for (const Index k : widths) {
        const HostVector<T> p = random_vector<T>(backend, Size{n} * k, 1);
        HostVector<T> q = random_vector<T>(backend, Size{n} * k, 2);
        HostVector<double> g(Size{k} * k);
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
    print_head(sizeof(T) == 8 ? "fp64" : "fp32", n, backend.device().name, bandwidth, "copy");
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
