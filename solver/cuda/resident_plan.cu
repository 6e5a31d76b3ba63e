#include "stiefel/solver/cuda/resident_plan.cuh"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/rows_in_order.cuh"

#include <algorithm>

namespace stiefel {

namespace {

constexpr int threads = 1024;
constexpr Index row_lanes = 8;  // threads that go through a row together
constexpr Index empty_place = -1;

/// Numbers the rows of a block: a hash table with linear probing, in shared memory.
struct RowTable {
    Index* row;
    Index* number;

    __device__ static Index place_of(Index row) {
        return static_cast<Index>((static_cast<unsigned>(row) * 2654435761u) & (resident_table - 1));
    }
    /// The row's place; `is_new` if this call put it there. The table must not be full.
    __device__ Index insert(Index key, bool& is_new) {
        for (Index place = place_of(key);; place = (place + 1) & (resident_table - 1)) {
            const Index before = atomicCAS(row + place, empty_place, key);
            is_new = before == empty_place;
            if (is_new || before == key) return place;
        }
    }
    __device__ Index find(Index key) const {
        Index place = place_of(key);
        while (row[place] != key) place = (place + 1) & (resident_table - 1);
        return number[place];
    }
};

template <class T, class Rows>
struct PlanArguments {
    Rows rows;
    Index slots, total_slots;
    Index* row;
    Index* start;
    Size* base;
    Index* col;
    T* value;
    Index* n_halo;
    Index* halo;
    Index* maxima;  // halo, entries
};

/// The sum of the lanes before each; the sum of all in `total`, of the last lane.
__device__ inline Index sum_before(Index own, Index& total) {
    const auto lane = static_cast<int>(threadIdx.x) % warp_size;
    Index sum = own;
    for (int step = 1; step < warp_size; step *= 2) {
        const Index add = __shfl_up_sync(all_lanes, sum, step);
        if (lane >= step) sum += add;
    }
    total = sum;
    return sum - own;
}

/// Offsets of the block's slots: warps sum the lengths of 32 slots each, and the first one what these come to.
template <class T, class Rows>
__device__ void offsets_of_slots(const PlanArguments<T, Rows>& a, Index first, Index n, Index* start) {
    __shared__ Index before_chunk[resident_rows / warp_size];
    const Index lane = static_cast<Index>(threadIdx.x) % warp_size;
    const Index chunks = (n + warp_size - 1) / warp_size;
    Index total = 0;
    for (Index i = static_cast<Index>(threadIdx.x); i / warp_size < chunks; i += threads) {
        const Index before = sum_before(i < n ? a.rows.length(first + i) : 0, total);
        if (i < n) start[i] = before;
        if (lane == warp_size - 1) before_chunk[i / warp_size] = total;
    }
    __syncthreads();
    if (threadIdx.x < warp_size) {
        Index all = 0;
        for (Index begin = 0; begin < chunks; begin += warp_size) {
            const Index chunk = begin + lane;
            const Index before = sum_before(chunk < chunks ? before_chunk[chunk] : 0, total);
            if (chunk < chunks) before_chunk[chunk] = all + before;
            all += __shfl_sync(all_lanes, total, warp_size - 1);
        }
        if (lane == 0) {
            start[n] = all;
            atomicMax(a.maxima + 1, all);
        }
    }
    __syncthreads();
    for (Index i = static_cast<Index>(threadIdx.x); i < n; i += threads) start[i] += before_chunk[i / warp_size];
}

template <class T, class Rows>
__global__ void __launch_bounds__(threads) resident_plan_kernel(PlanArguments<T, Rows> a) {
    extern __shared__ Index places[];
    __shared__ Index n_numbered;
    RowTable table{places, places + resident_table};
    const Index first = static_cast<Index>(blockIdx.x) * a.slots;
    const Index n = max(min(a.slots, a.total_slots - first), 0);
    Index* const start = a.start + blockIdx.x * (a.slots + 1);
    const Size base = a.rows.base(min(first, a.total_slots));
    for (Index i = static_cast<Index>(threadIdx.x); i < resident_table; i += threads) table.row[i] = empty_place;
    if (threadIdx.x == 0) {
        n_numbered = n;
        a.base[blockIdx.x] = base;
    }
    __syncthreads();
    offsets_of_slots(a, first, n, start);
    bool is_new = false;
    for (Index i = static_cast<Index>(threadIdx.x); i < n; i += threads) {
        const Index row = a.rows.row(first + i);
        a.row[first + i] = row;
        if (row < a.rows.n_rows) table.number[table.insert(row, is_new)] = i;
    }
    __syncthreads();
    const Index lane = static_cast<Index>(threadIdx.x) % row_lanes;
    const auto for_rows = [&](auto&& f) {
        for (Index i = static_cast<Index>(threadIdx.x) / row_lanes; i < n; i += threads / row_lanes) f(i);
    };
    const auto number_columns = [&](Index i) {
        const Index length = a.rows.length(first + i);
        for (Index j = lane; j < length; j += row_lanes) {
            // A table that fills up is given up; the count tells the host.
            if (*static_cast<volatile Index*>(&n_numbered) >= resident_rows) break;
            const Index col = a.rows.col_idx[a.rows.first(first + i) + j * a.rows.step];
            const Index place = table.insert(col, is_new);
            if (!is_new) continue;
            const Index number = atomicAdd(&n_numbered, 1);
            table.number[place] = number;
            if (number < resident_rows) a.halo[Size{blockIdx.x} * resident_rows + number - n] = col;
        }
    };
    if (gridDim.x > 1) for_rows(number_columns);  // a lone block has all rows, and A is square
    __syncthreads();
    const Index halo = n_numbered - n;
    if (threadIdx.x == 0) {
        a.n_halo[blockIdx.x] = halo;
        atomicMax(a.maxima, n_numbered >= resident_rows ? resident_rows : halo);
    }
    if (n_numbered >= resident_rows) return;
    for_rows([&](Index i) {
        const Size from = a.rows.first(first + i);
        const Size to = base + start[i];
        const Index length = a.rows.length(first + i);
        for (Index j = lane; j < length; j += row_lanes) {
            a.col[to + j] = table.find(a.rows.col_idx[from + j * a.rows.step]);
            a.value[to + j] = a.rows.values[from + j * a.rows.step];
        }
    });
}

}  // namespace

template <class T>
StartedPlans<T>::StartedPlans(Cuda& backend, Size plans) : maxima_(backend, 2 * plans) {
    backend.zero_bytes(maxima_.data(), maxima_.bytes());
}

template <class T>
template <class Rows>
ResidentPlan<T> StartedPlans<T>::start(Cuda& backend, const Rows& rows, Index total_slots, Size n_stored, int blocks) {
    ResidentPlan<T> plan;
    const Index even = (total_slots + blocks - 1) / blocks;
    plan.slots = (even + Rows::alignment - 1) / Rows::alignment * Rows::alignment;
    plan.blocks = (total_slots + plan.slots - 1) / plan.slots;
    plan.total_slots = total_slots;
    if (plan.slots >= resident_rows) {
        plan.max_halo = resident_rows;
        return plan;
    }
    Index* const maxima = maxima_.data() + 2 * started_++;
    plan.row = DeviceVector<Index>(backend, total_slots);
    plan.start = DeviceVector<Index>(backend, Size{plan.blocks} * (plan.slots + 1));
    plan.base = DeviceVector<Size>(backend, plan.blocks);
    plan.col = DeviceVector<Index>(backend, n_stored);
    plan.value = DeviceVector<T>(backend, n_stored);
    plan.n_halo = DeviceVector<Index>(backend, plan.blocks);
    plan.halo = DeviceVector<Index>(backend, Size{plan.blocks} * resident_rows);
    const auto kernel = resident_plan_kernel<T, Rows>;
    constexpr int shared_bytes = 2 * resident_table * static_cast<int>(sizeof(Index));
    allow_shared(backend, kernel, shared_bytes, "asking for shared memory");
    kernel<<<static_cast<unsigned>(plan.blocks), threads, shared_bytes, backend.stream()>>>(
        PlanArguments<T, Rows>{.rows = rows,
                               .slots = plan.slots,
                               .total_slots = total_slots,
                               .row = plan.row.data(),
                               .start = plan.start.data(),
                               .base = plan.base.data(),
                               .col = plan.col.data(),
                               .value = plan.value.data(),
                               .n_halo = plan.n_halo.data(),
                               .halo = plan.halo.data(),
                               .maxima = maxima});
    check_cuda(cudaGetLastError(), "launching resident_plan");
    return plan;
}

template <class T>
void StartedPlans<T>::finish(Cuda& backend, std::span<ResidentPlan<T>* const> plans) const {
    if (started_ == 0) return;
    HostVector<Index> found(maxima_.size());
    download(backend, maxima_, found);
    Size place = 0;
    for (ResidentPlan<T>* const plan : plans) {
        if (plan->start.empty()) continue;
        plan->max_halo = found[place++];
        plan->max_entries = found[place++];
    }
}

template class StartedPlans<double>;
template class StartedPlans<float>;
template ResidentPlan<double> StartedPlans<double>::start(Cuda&, const CsrSlots<double, std::int32_t>&, Index, Size,
                                                          int);
template ResidentPlan<double> StartedPlans<double>::start(Cuda&, const CsrSlots<double, std::int64_t>&, Index, Size,
                                                          int);
template ResidentPlan<double> StartedPlans<double>::start(Cuda&, const SellSlots<double>&, Index, Size, int);
template ResidentPlan<double> StartedPlans<double>::start(Cuda&, const EllpackSlots<double>&, Index, Size, int);
template ResidentPlan<double> StartedPlans<double>::start(Cuda&, const PlacedRows<double>&, Index, Size, int);
template ResidentPlan<float> StartedPlans<float>::start(Cuda&, const CsrSlots<float, std::int32_t>&, Index, Size, int);
template ResidentPlan<float> StartedPlans<float>::start(Cuda&, const CsrSlots<float, std::int64_t>&, Index, Size, int);
template ResidentPlan<float> StartedPlans<float>::start(Cuda&, const SellSlots<float>&, Index, Size, int);
template ResidentPlan<float> StartedPlans<float>::start(Cuda&, const EllpackSlots<float>&, Index, Size, int);
template ResidentPlan<float> StartedPlans<float>::start(Cuda&, const PlacedRows<float>&, Index, Size, int);

}  // namespace stiefel
