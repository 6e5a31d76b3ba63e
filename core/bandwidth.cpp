#include "stiefel/core/bandwidth.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/core/timing.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

namespace stiefel {

namespace {

constexpr Size n_streams = 8;
constexpr Size lanes = 8;     // doubles in a cache line
constexpr Size stretch = 32;  // doubles of a stream in turn: 256 bytes

/// Sum over n_streams * stream_size doubles; stream_size is a multiple of stretch.
double sum_streams(const double* values, Size stream_size) {
    double partial[n_streams][lanes] = {};
    for (Size i = 0; i < stream_size; i += stretch) {
        for (Size stream = 0; stream < n_streams; ++stream) {
            const double* const v = values + stream * stream_size + i;
            for (Size line = 0; line < stretch; line += lanes) {
#pragma omp simd
                for (Size lane = 0; lane < lanes; ++lane) partial[stream][lane] += v[line + lane];
            }
        }
    }
    double sum = 0;
    for (const auto& stream : partial) {
        for (double p : stream) sum += p;
    }
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

ReadProbe::ReadProbe(int threads, Size bytes) : threads_(threads) {
    require(threads > 0, "ReadProbe: needs at least one thread");
    const Size unit = threads * n_streams * stretch;
    const Size n_units = std::max<Size>(1, bytes / static_cast<Size>(sizeof(double)) / unit);
    values_ = HostVector<double>(n_units * unit);
    const Size share = values_.size() / threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int thread = 0; thread < threads; ++thread) std::fill_n(values_.data() + thread * share, share, 1.0);
}

void ReadProbe::read() const {
    const Size share = values_.size() / threads_;
    double sum = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : sum)
    for (int thread = 0; thread < threads_; ++thread) {
        sum += sum_streams(values_.data() + thread * share, share / n_streams);
    }
    // The sum is used, so that the loads cannot be optimised away.
    if (sum != static_cast<double>(values_.size())) throw Error("ReadProbe: the memory read back wrong");
}

double read_bandwidth(int threads, Size bytes) {
    const ReadProbe probe(threads, bytes);
    double best = std::numeric_limits<double>::max();
    for (int pass = 0; pass < 8; ++pass) {
        const Stopwatch watch;
        probe.read();
        best = std::min(best, watch.seconds());
    }
    return static_cast<double>(probe.bytes()) / best;
}

}  // namespace stiefel
