#include "stiefel/solver/cg.hpp"

#include "bench/cuda/commands.hpp"
#include "bench/cuda/reference.hpp"
#include "bench/cuda/setting.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace stiefel::bench {

namespace {

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

void bench_cg(Cuda& backend, OpenMP& host, double bandwidth, const CudaProblem& problem, Size iterations) {
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
    print("compressed-sell",
          cg_seconds<double>(backend, compressed_sell_from_csr(backend, csr, 32), b, iterations, kernels));
    print("cusparse + cublas", cusparse_cg_seconds(backend, csr, b, static_cast<int>(std::min<Size>(iterations, 200))));
}

/// Where CG had better leave the multiprocessors: an iteration in one resident kernel, where the system fits, or its
/// vectors alone (compressed SELL), beside one in the graph.
void bench_crossover(Cuda& backend, OpenMP& host) {
    fmt::print("5-point n^2       unknowns     resident  its vectors        graph\n");
    for (Index n :
         {32, 45, 64, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 800, 900, 1000, 1100, 1200}) {
        const auto csr = to_device(backend, poisson2d<double>(host, n, n));
        const auto sell = sell_from_csr(backend, csr, 32, 1);
        const auto compressed = compressed_sell_from_csr(backend, csr, 32);
        const auto b = numbers<double>(backend, sell.n_rows);
        std::vector<KernelTime> kernels;
        const auto seconds = [&](const auto& a) {
            CudaStep step;
            CudaVectors v(backend, a.n_rows);
            set_resident(backend, step, a, Identity{}, v.x, v.r, v.p, v.state);
            return step.resident ? cg_seconds<double>(backend, a, b, 400, kernels) : 0;
        };
        const double graph = cg_seconds<double>(backend, OutsideOfMultiprocessors{sell}, b, 400, kernels);
        fmt::print("{:>11} {:>14} {:>9.2f} us {:>9.2f} us {:>9.2f} us\n", n, sell.n_rows, 1e6 * seconds(sell),
                   1e6 * seconds(compressed), 1e6 * graph);
        std::cout << std::flush;
    }
}

}  // namespace

int run_cuda_cg(const std::vector<std::string>& arguments) {
    const CudaSetting setting = parse_cuda_setting(arguments);
    require(setting.folder.empty() && !setting.single, "cg --backend cuda takes a part of a problem's name alone");
    CudaMachine machine;
    for (const CudaProblem& problem : cuda_problems(setting.part)) {
        if (problem.symmetric) bench_cg(machine.backend, machine.host, machine.bandwidth, problem, 400);
    }
    return 0;
}

int run_crossover(const std::vector<std::string>& arguments) {
    require(arguments.empty(), "crossover takes no arguments");
    CudaMachine machine;
    bench_crossover(machine.backend, machine.host);
    return 0;
}

}  // namespace stiefel::bench
