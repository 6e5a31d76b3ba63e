#include "bench/block_cg.hpp"

#include "bench/operands.hpp"
#include "bench/setting.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stiefel::bench {

namespace {

struct BlockSetting {
    Setting system;
    BackendChoice backend = BackendChoice::openmp;
    std::vector<Index> columns;
    int repetitions = 3;
};

int positive(const std::string& option, const std::string& text) {
    int value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
    if (!whole || value <= 0) throw InvalidArgument(option + " needs a number of at least 1");
    return value;
}

BlockSetting parse(const std::vector<std::string>& arguments) {
    BlockSetting setting{.system = {}, .columns = {}};
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        const bool ours = option == "--backend" || option == "--columns" || option == "--repetitions";
        if (!ours) {
            rest.push_back(option);
            continue;
        }
        if (i + 1 == arguments.size()) throw InvalidArgument(option + " needs a value");
        const std::string& value = arguments[++i];
        if (option == "--columns") setting.columns.push_back(positive(option, value));
        if (option == "--repetitions") setting.repetitions = positive(option, value);
        if (option == "--backend") {
            require(value == "host" || value == "cuda", "--backend is host or cuda");
            setting.backend = value == "cuda" ? BackendChoice::cuda : BackendChoice::openmp;
        }
    }
    setting.system = parse_setting(rest, {.problem = "poisson3d", .sizes = {"100"}});
    if (setting.columns.empty()) setting.columns = {8};
    return setting;
}

template <HostBackend B>
HostCsr<double> on_backend(B&, HostCsr<double> a) {
    return a;
}
template <class T>
DeviceCsr<T> on_backend(Cuda& backend, const HostCsr<T>& a) {
    return to_device(backend, a);
}

/// One way to solve for all columns, timed once.
struct Run {
    double seconds = 0;
    Size iterations = 0;  ///< of the block, or on average over the columns
    double residual = 0;  ///< the largest true relative residual
    std::vector<KernelTime> kernels = {};
};

template <class B, class A>
Run solve_together(B& backend, const A& a, const MultivectorOf<B, double>& b) {
    auto x = make_multivector<double>(backend, b.n_rows(), b.n_cols());
    fill(backend, 0.0, x.values());
    const BlockSolveResult result = block_cg(backend, a, b, x);
    return {result.seconds, result.iterations, result.relative_residual, result.kernels};
}

template <class B, class A>
Run solve_one_by_one(B& backend, const A& a, const std::vector<VectorOf<B, double>>& columns) {
    Run run;
    for (const auto& b : columns) {
        auto x = make_vector<double>(backend, b.size());
        fill(backend, 0.0, x);
        const SolveResult result = cg(backend, a, b, x);
        run.seconds += result.seconds;
        run.iterations += result.iterations;
        run.residual = std::max(run.residual, result.relative_residual);
    }
    run.iterations /= static_cast<Size>(columns.size());
    return run;
}

/// The repetition of the median time; all of them take the same iterations.
Run median(std::vector<Run> runs) {
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.seconds < b.seconds; });
    return runs[runs.size() / 2];
}

/// The matrix as choose_operator finds it best for panels of so many columns, with a line that says what that is.
template <class B>
SpmvOperator<B, double> chosen_for(B& backend, HostCsr<double> host, Index columns) {
    OpenMP by;
    const RowStatistics rows = row_statistics(by, host);
    auto chosen = choose_operator<B, double>(backend, on_backend(backend, std::move(host)), rows, {.columns = columns});
    fmt::print("matrix for {:2} {}: {}; {}\n", columns, columns == 1 ? "column" : "columns", chosen.a.format(),
               chosen.why);
    return std::move(chosen.a);
}

template <class B, class A>
void compare(B& backend, const A& a_of_panels, const A& a, Index n, int repetitions, Index k) {
    OpenMP host(1);
    HostMultivector<double> b(random_vector<double>(host, Size{n} * k, 1), n, k);
    std::vector<VectorOf<B, double>> columns;
    for (Index j = 0; j < k; ++j) {
        HostVector<double> column(n);
        for (Index i = 0; i < n; ++i) column[i] = b.values()[Size{i} * k + j];
        columns.push_back(make_vector<double>(backend, n));
        upload(backend, column, columns.back());
    }
    auto panel = make_multivector<double>(backend, n, k);
    upload(backend, b.values(), panel.values());

    std::vector<Run> together, one_by_one;
    for (int i = 0; i < repetitions; ++i) {
        together.push_back(solve_together(backend, a_of_panels, panel));
        one_by_one.push_back(solve_one_by_one(backend, a, columns));
    }
    const Run block = median(together);
    const Run single = median(one_by_one);
    const auto iteration = [](const Run& run, Index solves) {
        return 1e3 * run.seconds / static_cast<double>(std::max<Size>(1, run.iterations * solves));
    };
    fmt::print("{:>4}{:>12.4f}{:>8}{:>11.4f}{:>11.1e}{:>12.4f}{:>8}{:>11.4f}{:>11.1e}{:>9.2f}x\n", k, block.seconds,
               block.iterations, iteration(block, 1), block.residual, single.seconds, single.iterations,
               iteration(single, k), single.residual, single.seconds / block.seconds);
    for (const KernelTime& kernel : block.kernels) {
        const double seconds = kernel.calls > 0 ? kernel.seconds / static_cast<double>(kernel.calls) : 0;
        fmt::print("      {:<22}{:>9.4f} ms{:>9.1f} GB/s{:>9.1f} GFLOP/s\n", kernel.name, 1e3 * seconds,
                   kernel.work.bytes / seconds / 1e9, kernel.work.flops / seconds / 1e9);
    }
    std::fflush(stdout);
}

}  // namespace

int run_block_cg(const std::vector<std::string>& arguments) {
    const BlockSetting setting = parse(arguments);
    OpenMP maker(setting.system.threads);
    with_backend({.choice = setting.backend, .threads = setting.system.threads}, [&](auto& backend) {
        HostCsr<double> host = make_matrix(maker, setting.system);
        const Index n = host.n_rows;
        fmt::print("{}, {}, random right-hand sides, every column to 1e-8; medians of {}\n",
                   describe(setting.system, host, maker.threads()), backend.name, setting.repetitions);
        const auto a = chosen_for(backend, std::move(host), 1);
        for (const Index k : setting.columns) {
            const auto a_of_panels = chosen_for(backend, make_matrix(maker, setting.system), k);
            fmt::print("{:>4}{:>12}{:>8}{:>11}{:>11}{:>12}{:>8}{:>11}{:>11}{:>10}\n", "k", "block s", "iter", "ms/iter",
                       "residual", "k cg s", "iter", "ms/iter", "residual", "gain");
            compare(backend, a_of_panels, a, n, setting.repetitions, k);
        }
    });
    return 0;
}

}  // namespace stiefel::bench
