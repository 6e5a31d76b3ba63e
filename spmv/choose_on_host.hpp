#pragma once

#include "stiefel/spmv/contest.hpp"

namespace stiefel {

/// The backend that converts for another: conversions are parallel throughout.
inline OpenMP converter(Serial&) {
    return OpenMP(1);
}
inline OpenMP& converter(OpenMP& backend) {
    return backend;
}

/// On a host: see FormatContest. Products are bound by the memory; what padding costs, it costs in any cache.
template <HostBackend B>
struct HostTerms {
    /// Rows side by side in vector lanes take 0.4 to 0.9 of CSR's time in any cache.
    static constexpr Size least_bytes_to_rank = 1 << 16;
    static constexpr double timing = 0;

    template <template <class, class> class Format>
    static bool suits(const B&, Size, bool) {
        return true;
    }

    template <template <class, class> class Format>
    static auto shape(const RowStatistics& rows) {
        return FormatTraits<Format>::template shapes<HostMemory>(rows).front();
    }

    template <template <class, class> class Format, class T>
    static FormatSize size(B& backend, const HostCsr<T>& csr, const typename FormatTraits<Format>::Shape& shape) {
        auto&& by = converter(backend);
        if constexpr (requires { FormatTraits<Format>::expected_size(by, csr, shape); }) {
            return FormatTraits<Format>::expected_size(by, csr, shape);
        } else {
            return FormatTraits<Format>::size(by, csr, shape);
        }
    }

    static double worthwhile_padding(const B&, Size) { return 1.25; }
    static double cache_gain(const B&, double) { return 1; }

    /// By all threads, as they will read it: the first touch of large memory takes longer than a product.
    template <class T>
    static void fill(B& backend, HostVector<T>& x) {
#pragma omp parallel for num_threads(converter(backend).threads()) schedule(static)
        for (Size i = 0; i < x.size(); ++i) x[i] = T{1};
    }

    static ProductTimer timer(const B&) {
        return seconds_of;
    }
};

}  // namespace stiefel
