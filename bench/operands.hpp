#pragma once

#include "bench/ladder.hpp"

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stiefel::bench {

/// Numbers in (-1, 1), never zero: kernels run faster on zeros than on data.
template <class T>
HostVector<T> random_vector(OpenMP& backend, Size n, std::uint64_t seed) {
    HostVector<T> v = make_vector<T>(backend, n);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size i = 0; i < n; ++i) {
        std::uint64_t z = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        v[i] = static_cast<T>((static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-51 - 1);
    }
    return v;
}

template <class T>
HostVector<T> absolute(OpenMP& backend, const HostVector<T>& v) {
    HostVector<T> result = make_vector<T>(backend, v.size());
    for (Size i = 0; i < v.size(); ++i) result[i] = std::abs(v[i]);
    return result;
}

/// Deviation of `found` from `reference`, where `absolutes` holds the sums of absolute products of k terms. Both
/// results may be off by the bound of error analysis, and by `slack` more if operands were rounded.
template <class T>
Deviation deviation(const HostVector<T>& found, const HostVector<T>& reference, const HostVector<T>& absolutes, Size k,
                    double slack = 0) {
    const double bound = 2.0 * static_cast<double>(k + 2) * std::numeric_limits<T>::epsilon() + slack;
    Deviation result;
    double sum = 0;
    for (Size i = 0; i < found.size(); ++i) {
        const double error = std::abs(static_cast<double>(found[i]) - static_cast<double>(reference[i])) / absolutes[i];
        if (!(error <= bound)) result.accepted = false;
        if (!(error <= result.largest)) result.largest = error;
        sum += error;
    }
    result.mean = sum / static_cast<double>(found.size());
    return result;
}

/// Read bandwidth of this machine, now, in bytes per second: over four times the last-level cache, or 1 GiB.
inline double host_read_bandwidth(int threads) {
    return read_bandwidth(threads, std::max<Size>(4 * last_level_cache_bytes(), Size{1} << 30));
}

}  // namespace stiefel::bench
