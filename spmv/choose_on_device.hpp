#pragma once

#include "stiefel/spmv/contest.hpp"
#include "stiefel/spmv/resident_size.hpp"

namespace stiefel {

inline Cuda& converter(Cuda& backend) {
    return backend;
}

/// On a device: see FormatContest. Small products, too, have their costs told: what a kernel takes to start, and how
/// long one lane is at a row.
struct DeviceTerms {
    static constexpr Size least_bytes_to_rank = 0;
    static constexpr double timing = 8e7;  // the host waits some 20 us for it

    /// In the shared memory of the multiprocessors, where small systems may iterate, entries have columns beside them.
    template <template <class, class> class Format>
    static bool suits(const Cuda& backend, Size csr_bytes, bool may_stay) {
        return FormatTraits<Format>::least_column_bytes > 0 || !may_stay ||
               !may_be_resident(backend.device(), csr_bytes);
    }

    /// ELLPACK by rows, whose lanes share a row; by columns it is SELL with more padding.
    template <template <class, class> class Format>
    static auto shape(const RowStatistics& rows) {
        if constexpr (std::is_same_v<typename FormatTraits<Format>::Shape, EllpackLayout>) {
            return EllpackLayout::row_major;
        } else {
            return FormatTraits<Format>::template shapes<DeviceMemory>(rows).front();
        }
    }

    template <template <class, class> class Format, class T>
    static FormatSize size(Cuda& backend, const DeviceCsr<T>& csr, const typename FormatTraits<Format>::Shape& shape) {
        constexpr Size index = sizeof(Index);
        if constexpr (std::is_same_v<typename FormatTraits<Format>::Shape, EllpackLayout>) {
            const Size entries = Size{csr.n_rows} * csr.shares.longest_row;
            return {.entries = entries, .structure_bytes = (entries + csr.n_rows) * index};
        } else if constexpr (requires { FormatTraits<Format>::expected_size(backend, csr, shape); }) {
            return FormatTraits<Format>::expected_size(backend, csr, shape);
        } else {
            const Size slices = csr.n_rows / shape.slice_height + 1;
            const Size entries = sell_entries(backend, csr, shape.slice_height, shape.sigma);
            const Size of_slice = static_cast<Size>(sizeof(Size)) + shape.slice_height * index;
            return {.entries = entries, .structure_bytes = entries * index + slices * of_slice};
        }
    }

    /// What stays in the cache costs little beside the time that a kernel takes to start.
    static double worthwhile_padding(const Cuda& backend, Size bytes) { return fits_cache(backend, bytes) ? 4 : 1.25; }
    static double cache_gain(const Cuda& backend, double bytes) { return fits_cache(backend, bytes) ? 0.6 : 1; }

    /// Zeros cost what other numbers do, and need no transfer.
    template <class T>
    static void fill(Cuda& backend, DeviceVector<T>& x) {
        backend.zero_bytes(x.data(), x.bytes());
    }

    static ProductTimer timer(Cuda& backend) {
        return [&backend](std::string_view, const std::function<void()>& product) {
            CudaEvent start, stop;
            start.record(backend);
            product();
            stop.record(backend);
            return stop.seconds_since(start);
        };
    }

private:
    template <class Bytes>
    static bool fits_cache(const Cuda& backend, Bytes bytes) {
        return 2 * static_cast<double>(bytes) <= static_cast<double>(backend.device().l2_bytes);
    }
};

}  // namespace stiefel
