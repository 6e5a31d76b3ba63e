#include "stiefel/core/bandwidth.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/core/timing.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

namespace stiefel {

namespace {

constexpr int accumulators = 32;

/// Sums a block with independent partial sums, so that loads and not additions limit it. n is a multiple of 32.
double sum_block(const double* values, Size n) {
    double partial[accumulators] = {};
    for (Size i = 0; i < n; i += accumulators) {
#pragma omp simd
        for (int lane = 0; lane < accumulators; ++lane) partial[lane] += values[i + lane];
    }
    double sum = 0;
    for (double p : partial) sum += p;
    return sum;
}

}  // namespace

Size last_level_cache_bytes() {
    for (int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
        const long bytes = sysconf(name);
        if (bytes > 0) return bytes;
    }
    return 0;
}

double read_bandwidth(int threads, Size bytes) {
    require(threads > 0, "read_bandwidth: needs at least one thread");
    constexpr Size block = 4096;  // doubles; a block is 32 KiB
    const Size n_blocks = std::max<Size>(threads, bytes / (block * static_cast<Size>(sizeof(double))));
    HostVector<double> values(n_blocks * block);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Size b = 0; b < n_blocks; ++b) std::fill_n(values.data() + b * block, block, 1.0);

    double best = std::numeric_limits<double>::max();
    double check = 0;
    for (int pass = 0; pass < 5; ++pass) {
        const Stopwatch watch;
        double sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
        for (Size b = 0; b < n_blocks; ++b) sum += sum_block(values.data() + b * block, block);
        best = std::min(best, watch.seconds());
        check += sum;
    }
    // The sum is used, so that the loads cannot be optimised away.
    if (check != 5.0 * static_cast<double>(values.size())) throw Error("read_bandwidth: the memory read back wrong");
    return static_cast<double>(values.bytes()) / best;
}

}  // namespace stiefel
