#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/equal_slices.cuh"
#include "stiefel/spmv/cuda/rows_by_length.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/cuda/slice_plan.cuh"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/padding.hpp"

#include <utility>

namespace stiefel {

namespace {

using namespace cuda;

constexpr Index height = CompressedSell<double>::slice_height;
static_assert(height == warp_size);

unsigned warp_blocks(Size n_warps) {
    return element_blocks(n_warps * warp_size);
}

/// Of whole warps.
__device__ Size warp_number() {
    return thread_number() / warp_size;
}
__device__ bool is_first_lane() {
    return threadIdx.x % warp_size == 0;
}

/// Looks at one slice of `every`.
template <class Offset>
__global__ void plan_slices_kernel(SlotRows<Offset> a, Size value_bytes, Index n_slices, Index every, Size n_samples,
                                   CompressedSlice* plans, Size* groups, Size* distances) {
    const Size sample = warp_number();
    if (sample >= n_samples) return;
    const Size slice = every == 1 ? sample : sampled_slice(static_cast<Index>(sample), every, n_slices);
    const WarpSlice rows(a, slice);
    const SliceSizes sizes = planned(a, rows, slice, value_bytes);
    if (!is_first_lane()) return;
    plans[sample].columns = sizes.columns;
    plans[sample].padded = sizes.padded;
    plans[sample].n_groups = static_cast<Index>(sizes.groups);
    groups[sample] = sizes.groups;
    distances[sample] = sizes.distances;
}

/// Where each slice has what it stores, and what all store behind the last.
__global__ void place_slices_kernel(Size n, const Size* groups, const Size* distances, CompressedSlice* slices) {
    const Size slice = thread_number();
    if (slice > n) return;
    slices[slice].group = groups[slice];
    slices[slice].distance = distances[slice];
    if (slice < n) return;
    slices[n].columns = SliceColumns::diagonals;
    slices[n].padded = false;
    slices[n].n_groups = 0;
}

/// A value as it is stored: no bits are those of padding.
template <class T>
__device__ T stored(T value) {
    return value == T{0} ? -T{0} : value;
}

template <class T, class Offset>
__global__ void fill_compressed_kernel(SlotRows<Offset> a, const T* csr_values, Size n_slices,
                                       const CompressedSlice* slices, const Index* like_of, Index* base,
                                       std::uint16_t* distances, T* values) {
    const Size slice = warp_number();
    if (slice >= n_slices || like_of[slice] != slice) return;
    const WarpSlice rows(a, slice);
    const CompressedSlice at = slices[slice];
    const auto lane = static_cast<Index>(threadIdx.x % warp_size);
    T* const to = values + at.group * height + lane;
    const auto value = [&](Index j, bool has) { return has ? stored(csr_values[rows.entry(j)]) : T{0}; };
    if (at.columns == SliceColumns::diagonals) {
        rows.for_diagonals([&](Index n, Index diagonal, Index j) {
            to[Size{n} * height] = value(j, j >= 0);
            if (is_first_lane()) base[at.group + n] = diagonal;
            return true;
        });
        return;
    }
    for (Index j = 0; j < rows.width(); ++j) {
        const Index least = rows.columns(j).least;
        const bool has = j < rows.length();
        const Index distance = has ? a.col_idx[rows.entry(j)] - least : 0;
        to[Size{j} * height] = value(j, has);
        if (is_first_lane()) base[at.group + j] = least;
        const Size place = Size{j} * height + lane;
        if (at.columns == SliceColumns::near) {
            distances[at.distance + place] = static_cast<std::uint16_t>(distance);
        } else {
            reinterpret_cast<Index*>(distances + at.distance)[place] = distance;
        }
    }
}

template <class T, class F>
void with_slots(const DeviceCsr<T>& csr, const DeviceVector<Index>& row_of_slot, F&& f) {
    csr.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        f(SlotRows<Offset>{csr.n_rows, csr.n_cols, row_ptr, csr.col_idx.data(), row_of_slot.data()});
    });
}

/// planned_slices() of a host, and what all of these take.
struct PlannedSlices {
    DeviceVector<CompressedSlice> slices;
    Size groups = 0, distances = 0;
};

template <class T>
PlannedSlices planned_slices(Cuda& backend, const DeviceCsr<T>& csr, const DeviceVector<Index>& row_of_slot,
                             Index every = 1) {
    const Index n_slices = DeviceCompressedSell<T>{.n_rows = csr.n_rows}.n_slices();
    const Size n = (Size{n_slices} + every - 1) / every;
    PlannedSlices made{.slices = DeviceVector<CompressedSlice>(backend, n + 1)};
    DeviceVector<Size> groups(backend, n), distances(backend, n), group(backend, n + 1), distance(backend, n + 1);
    with_slots(csr, row_of_slot, [&](const auto& slots) {
        plan_slices_kernel<<<warp_blocks(n), element_threads, 0, backend.stream()>>>(
            slots, Size{sizeof(T)}, n_slices, every, n, made.slices.data(), groups.data(), distances.data());
    });
    check_cuda(cudaGetLastError(), "launching plan_slices");
    offsets_from_counts(backend, groups, group);
    offsets_from_counts(backend, distances, distance);
    place_slices_kernel<<<element_blocks(n + 1), element_threads, 0, backend.stream()>>>(
        n, group.data(), distance.data(), made.slices.data());
    check_cuda(cudaGetLastError(), "launching place_slices");
    made.groups = load(backend, group.data() + n);
    made.distances = load(backend, distance.data() + n);
    return made;
}

template <class T>
DeviceVector<Index> sorted_slots(Cuda& backend, const DeviceCsr<T>& csr, Index sigma) {
    require(sigma > 0, "compressed_sell_from_csr: sigma must be positive");
    if (sigma == 1) return {};
    Index longest = 0;
    const DeviceVector<Index> lengths = row_lengths(backend, csr.row_ptr, csr.n_rows, longest);
    return rows_by_length(backend, lengths, csr.n_rows, DeviceCompressedSell<T>{.n_rows = csr.n_rows}.n_slots(), sigma);
}

}  // namespace

template <class T>
FormatSize compressed_sell_size(Cuda& backend, const DeviceCsr<T>& csr, Index sigma, Index every) {
    const DeviceCompressedSell<T> like{.n_rows = csr.n_rows};
    const DeviceVector<Index> row_of_slot = sorted_slots(backend, csr, sigma);
    PlannedSlices plan = planned_slices(backend, csr, row_of_slot, every);
    const Size samples = plan.slices.size() - 1, n = like.n_slices();
    const auto of_all = [&](Size of_samples) { return samples > 0 ? of_samples * n / samples : 0; };
    Size groups = of_all(plan.groups);
    if (every == 1) {
        with_slots(csr, row_of_slot, [&](const auto& slots) {
            groups = share_equal_slices(backend, slots, csr.values.data(), plan.slices).second;
        });
    }
    return {.entries = groups * height,
            .structure_bytes = (n + 1) * static_cast<Size>(sizeof(CompressedSlice)) + row_of_slot.bytes() +
                               groups * static_cast<Size>(sizeof(Index)) +
                               of_all(plan.distances) * static_cast<Size>(sizeof(std::uint16_t))};
}

template <class T>
DeviceCompressedSell<T> compressed_sell_from_csr(Cuda& backend, const DeviceCsr<T>& csr, Index sigma,
                                                 PaddingLimit limit) {
    DeviceCompressedSell<T> a{.n_rows = csr.n_rows, .n_cols = csr.n_cols, .n_nonzeros = csr.nnz()};
    a.row_of_slot = sorted_slots(backend, csr, sigma);
    PlannedSlices plan = planned_slices(backend, csr, a.row_of_slot);
    if (const Size padded = plan.groups * height; !is_within(limit, padded, csr.nnz())) {
        Index longest = 0;
        row_lengths(backend, csr.row_ptr, csr.n_rows, longest);
        check_padding(limit, "compressed-sell", longest, padded, csr.nnz(), sizeof(T) + sizeof(Index));
    }
    a.slices = std::move(plan.slices);
    a.distances = DeviceVector<std::uint16_t>(backend, plan.distances);
    with_slots(csr, a.row_of_slot, [&](const auto& slots) {
        const auto [like_of, groups] = share_equal_slices(backend, slots, csr.values.data(), a.slices);
        a.base = DeviceVector<Index>(backend, groups);
        a.values = DeviceVector<T>(backend, groups * height);
        fill_compressed_kernel<<<warp_blocks(a.n_slices()), element_threads, 0, backend.stream()>>>(
            slots, csr.values.data(), Size{a.n_slices()}, a.slices.data(), like_of.data(), a.base.data(),
            a.distances.data(), a.values.data());
    });
    check_cuda(cudaGetLastError(), "launching fill_compressed");
    return a;
}

template FormatSize compressed_sell_size(Cuda&, const DeviceCsr<double>&, Index, Index);
template FormatSize compressed_sell_size(Cuda&, const DeviceCsr<float>&, Index, Index);
template DeviceCompressedSell<double> compressed_sell_from_csr(Cuda&, const DeviceCsr<double>&, Index, PaddingLimit);
template DeviceCompressedSell<float> compressed_sell_from_csr(Cuda&, const DeviceCsr<float>&, Index, PaddingLimit);

}  // namespace stiefel
