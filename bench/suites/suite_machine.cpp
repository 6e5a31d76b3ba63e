#include "bench/suites/suite_machine.hpp"

#include "bench/build_info.hpp"

#include "stiefel/cli/run_info.hpp"
#include "stiefel/cli/version.hpp"
#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/packed/micro_kernel.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace stiefel::bench {

SuiteHeader suite_header(const SuiteOptions& options) {
    const cli::RunInfo run = cli::this_run({});
    SuiteHeader header{.suite = options.suite, .quick = options.quick, .started = run.date, .command = options.command};
    header.machine = {.cpu = run.processor,
                      .cores = OpenMP().threads(),
                      .memory_bytes = physical_memory(),
                      .instruction_sets = std::string(micro_kernels<double>().back().instructions)};
    header.build = {.version = cli::version, .commit = build_commit(), .compiler = build_compiler()};
    if (const std::string cuda = build_cuda(); !cuda.empty()) header.build.cuda = cuda;
#ifdef STIEFEL_HAS_CUDA
    if (options.backends.cuda) header.machine.gpu = options.backends.cuda->device().name;
#endif
    return header;
}

double host_copy_bandwidth(Size limit_bytes) {
    OpenMP backend;
    const Size wanted = std::max<Size>(2 * last_level_cache_bytes(), Size{256} << 20);
    const Size n = std::min(wanted, limit_bytes / 4) / static_cast<Size>(sizeof(double));
    const HostVector<double> from = make_vector<double>(backend, n);
    HostVector<double> to = make_vector<double>(backend, n);
    double best = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Stopwatch watch;
#pragma omp parallel num_threads(backend.threads())
        {
            const Size threads = omp_get_num_threads(), thread = omp_get_thread_num();
            const Size begin = n * thread / threads, end = n * (thread + 1) / threads;
            std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
        }
        best = std::max(best, 2 * static_cast<double>(from.bytes()) / watch.seconds());
    }
    return best;
}

}  // namespace stiefel::bench
