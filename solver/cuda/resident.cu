#include "stiefel/solver/resident.hpp"

#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/solver/cuda/grid_exchange.cuh"
#include "stiefel/solver/cuda/resident_plan.cuh"

#include <algorithm>

namespace stiefel {

namespace {

/// Systems of no more slots go to one block: without other blocks to wait for an iteration is shortest.
constexpr Index one_block_slots = 2048;

/// Slots of a block below which more blocks cost more in waiting than they save in work.
constexpr Index least_slots = 128;

/// Iterations between looks at whether the host wants the loop to end.
constexpr Size ask_stride = 16;

template <class T>
struct ResidentArguments {
    Index n_rows, slots, total_slots, max_halo, max_entries;
    int lanes;
    const Index* row;
    const Index* start;
    const Size* base;
    const Index* col;
    const T* value;
    const Index* n_halo;
    const Index* halo;
    const T* inverse_diagonal;  // null without preconditioner
    T* x;
    T* r;
    T* p;
    T* published;  // M r, by row
    CgState* state;
    GridExchange exchange;
    CudaLoop loop;
};

/// How the kernel is laid out. A strip is a row's every lanes-th entry; a thread has `strips` of them and keeps the
/// first `kept` entries of each in registers. Few threads with much in registers are fastest: shuffles and barriers
/// cost by the warp. Shared memory alone carries more rows.
struct InRegisters {
    static constexpr int threads = 256, strips = 4, kept = 8;
};
template <int n>
struct InSharedMemory {
    static constexpr int threads = 1024, strips = n, kept = 0;
};
using MostRows = InSharedMemory<3>;

/// A block's part of the system, in shared memory.
template <class T>
struct ResidentBlock {
    T* value;
    T* p;  // own rows, then the halo
    Index* col;
    Index* halo;

    __device__ ResidentBlock(unsigned char* shared, const ResidentArguments<T>& a) {
        const auto take = [&shared](auto*& array, Index n) {
            array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(shared);
            shared += (static_cast<Size>(n) * sizeof(*array) + 15) / 16 * 16;
        };
        take(value, a.max_entries);
        take(p, a.slots + a.max_halo);
        take(col, a.max_entries);
        take(halo, a.max_halo);
    }
    static Size bytes(const ResidentPlan<T>& plan) {
        const auto rounded = [](Size b) { return (b + 15) / 16 * 16; };
        constexpr Size t = sizeof(T), i = sizeof(Index);
        return rounded(plan.max_entries * t) + rounded((plan.slots + plan.max_halo) * t) +
               rounded(plan.max_entries * i) + rounded(plan.max_halo * i);
    }
};

/// What a thread keeps of one strip. All lanes of a row keep the same vector elements; the first speaks for it.
template <class T, int kept>
struct Strip {
    Index slot;  // in the block
    Index row;   // n_rows where there is none
    Index rest, end;
    bool speaks;
    T x, r, p, q, m;
    T value[kept > 0 ? kept : 1];
    Index col[kept > 0 ? kept : 1];
};

template <class Layout, class T>
__device__ void load_strip(Strip<T, Layout::kept>& s, const ResidentArguments<T>& a, const ResidentBlock<T>& b,
                           Index number, Index first, Index n) {
    const Index lane = number % a.lanes;
    const Index slot = number / a.lanes;
    const bool there = slot < n;
    s.slot = there ? slot : 0;
    s.row = there ? a.row[first + slot] : a.n_rows;
    s.speaks = s.row < a.n_rows && lane == 0;
    const Index* const start = a.start + blockIdx.x * (a.slots + 1);
    const Index begin = there ? start[slot] + lane : 0;
    s.end = there ? start[slot + 1] : 0;
    const bool used = s.row < a.n_rows;
    s.x = used ? a.x[s.row] : T{0};
    s.r = used ? a.r[s.row] : T{0};
    s.p = used ? a.p[s.row] : T{0};
    s.m = used && a.inverse_diagonal != nullptr ? a.inverse_diagonal[s.row] : T{1};
    if (there && lane == 0) b.p[slot] = s.p;
#pragma unroll
    for (int j = 0; j < Layout::kept; ++j) {
        const Index e = begin + j * a.lanes;
        s.value[j] = e < s.end ? b.value[e] : T{0};
        s.col[j] = e < s.end ? b.col[e] : s.slot;
    }
    s.rest = begin + Layout::kept * a.lanes;
}

/// s.q = the row of s times p.
template <class Layout, class T>
__device__ void multiply(Strip<T, Layout::kept>& s, const ResidentBlock<T>& b, int lanes) {
    T sum = 0;
#pragma unroll
    for (int j = 0; j < Layout::kept; ++j) sum += s.value[j] * b.p[s.col[j]];
#pragma unroll 4
    for (Index e = s.rest; e < s.end; e += lanes) sum += b.value[e] * b.p[b.col[e]];
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
    s.q = sum;
}

/// What thread 0 of a block tells the others.
template <class T>
struct Verdict {
    T alpha;
    T beta;
    bool stop;
};

template <class Layout, bool jacobi, class T>
__global__ void __launch_bounds__(Layout::threads, 1) resident_kernel(ResidentArguments<T> a) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ Verdict<T> verdict;
    constexpr int threads = Layout::threads;
    const ResidentBlock<T> b(shared, a);
    const Index first = static_cast<Index>(blockIdx.x) * a.slots;
    const Index n = min(a.slots, a.total_slots - first);
    const Index halo = a.n_halo[blockIdx.x];
    const Index t = static_cast<Index>(threadIdx.x);

    const Index entries = a.start[blockIdx.x * (a.slots + 1) + n];
    for (Index e = t; e < entries; e += threads) {
        b.value[e] = a.value[a.base[blockIdx.x] + e];
        b.col[e] = a.col[a.base[blockIdx.x] + e];
    }
    for (Index i = t; i < halo; i += threads) {
        b.halo[i] = a.halo[Size{blockIdx.x} * resident_rows + i];
        b.p[n + i] = a.p[b.halo[i]];
    }
    __syncthreads();
    Strip<T, Layout::kept> strips[Layout::strips];
#pragma unroll
    for (int k = 0; k < Layout::strips; ++k) load_strip<Layout>(strips[k], a, b, t + k * threads, first, n);
    CgState state = *a.state;
    const Size done = state.iteration;
    const Size window_end = a.loop.control->window_end;
    unsigned round = 0;
    bool running = state.reason == StopReason::running;
    __syncthreads();

    while (running) {
        double curvature[1] = {};
#pragma unroll
        for (auto& s : strips) {
            multiply<Layout>(s, b, a.lanes);
            if (s.speaks) curvature[0] += static_cast<double>(s.p) * static_cast<double>(s.q);
        }
        a.exchange.sum(curvature, ++round, false, false, [&](const double(&sums)[1], bool) {
            state.curvature = sums[0];
            state.reason = cg_check_curvature(state);
            verdict.stop = state.reason != StopReason::running;
            verdict.alpha = static_cast<T>(cg_step_length(state));
        });
        if (verdict.stop) break;

        const T alpha = verdict.alpha;
        double sums[jacobi ? 2 : 1] = {};
#pragma unroll
        for (auto& s : strips) {
            s.x += alpha * s.p;
            s.r -= alpha * s.q;
            if (!s.speaks) continue;
            const T z = jacobi ? s.m * s.r : s.r;
            if (gridDim.x > 1) a.published[s.row] = z;
            sums[0] += static_cast<double>(s.r) * static_cast<double>(s.r);
            if constexpr (jacobi) sums[1] += static_cast<double>(s.r) * static_cast<double>(z);
        }
        const bool asks = blockIdx.x == 0 && t == 0 && state.iteration % ask_stride == 0;
        const int end_as = asks ? loop_end_asked(a.loop) : 0;
        a.exchange.sum(sums, ++round, true, end_as != 0, [&](const double(&all)[jacobi ? 2 : 1], bool end_asked) {
            cg_decide(state, all[0], all[jacobi ? 1 : 0]);
            if (blockIdx.x == 0) loop_report(a.loop, state.iteration, state.residual2);
            cg_end_asked(state, end_as);  // of block 0, whose state is the one that stays
            verdict.stop = end_asked || state.reason != StopReason::running;
            verdict.beta = static_cast<T>(state.beta);
        });
        if (verdict.stop) break;

        const T beta = verdict.beta;
        for (Index i = t; i < halo; i += threads) b.p[n + i] = __ldcg(a.published + b.halo[i]) + beta * b.p[n + i];
#pragma unroll
        for (auto& s : strips) {
            s.p = (jacobi ? s.m * s.r : s.r) + beta * s.p;
            if (s.speaks) b.p[s.slot] = s.p;
        }
        // Thread 0 alone keeps the state; all count iterations by rounds, two of which make one.
        running = done + static_cast<Size>(round / 2) < window_end;
        __syncthreads();
    }

    for (const auto& s : strips) {
        if (!s.speaks) continue;
        a.x[s.row] = s.x;
        a.r[s.row] = s.r;
        a.p[s.row] = s.p;
    }
    if (blockIdx.x == 0 && t == 0) {
        state.x_is_behind = false;  // here x does not wait for the direction
        *a.state = state;
    }
}

/// What the closure of a resident step owns.
template <class T>
struct Resident {
    ResidentPlan<T> plan;
    DeviceVector<T> published;
    DeviceVector<uint4> boxes;
};

/// Lanes a row so that strips fill the threads, with a few entries each.
int lanes_for(Index slots, Index entries) {
    constexpr int strips = InRegisters::threads * InRegisters::strips;
    int lanes = 1;
    while (lanes < warp_size && 2 * lanes * slots <= strips && 3 * lanes * Size{slots} <= entries) lanes *= 2;
    return lanes;
}

/// Lets the step run a kernel of this layout.
template <class Layout, bool jacobi, class T>
void use_layout(Cuda& backend, CudaStep& step, std::shared_ptr<Resident<T>> own,
                const ResidentArguments<T>& arguments) {
    const auto kernel = resident_kernel<Layout, jacobi, T>;
    const auto shared_bytes = static_cast<int>(ResidentBlock<T>::bytes(own->plan));
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
               "asking for shared memory");
    step.resident = [&backend, own, arguments, kernel, shared_bytes](const CudaLoop& loop) {
        backend.zero_bytes(own->boxes.data(), own->boxes.bytes());
        ResidentArguments<T> now = arguments;
        now.loop = loop;
        void* pointers[] = {&now};
        check_cuda(cudaLaunchCooperativeKernel(kernel, static_cast<unsigned>(own->plan.blocks), Layout::threads,
                                               pointers, static_cast<std::size_t>(shared_bytes), backend.stream()),
                   "launching the resident loop");
    };
}

template <class T>
const T* diagonal_of(const Identity&) {
    return nullptr;
}
template <class T>
const T* diagonal_of(const DeviceJacobi<T>& m) {
    return m.inverse_diagonal.data();
}

template <class T, class Rows, class M>
void set_resident_rows(Cuda& backend, CudaStep& step, const Rows& rows, Index total_slots, Size n_stored, const M& m,
                       DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const CudaDevice& device = backend.device();
    const Size entry_bytes = sizeof(T) + sizeof(Index);
    if (total_slots == 0 || n_stored * entry_bytes > device.shared_bytes_per_block * device.multiprocessors) return;
    const int most_blocks = std::min(device.multiprocessors, max_exchange_blocks);
    const auto fits = [&](const ResidentPlan<T>& plan) {
        return plan.max_halo < resident_rows && plan.slots <= MostRows::threads * MostRows::strips &&
               ResidentBlock<T>::bytes(plan) + 4096 <= device.shared_bytes_per_block;
    };
    auto own = std::make_shared<Resident<T>>();
    if (total_slots <= one_block_slots) own->plan = make_resident_plan<T>(backend, rows, total_slots, n_stored, 1);
    if (own->plan.blocks == 0 || !fits(own->plan)) {
        const int blocks = static_cast<int>(std::clamp<Index>(total_slots / least_slots, 2, most_blocks));
        own->plan = make_resident_plan<T>(backend, rows, total_slots, n_stored, blocks);
    }
    if (!fits(own->plan)) return;
    own->published = DeviceVector<T>(backend, rows.n_rows);
    own->boxes = DeviceVector<uint4>(backend, GridExchange::bytes() / static_cast<Size>(sizeof(uint4)));

    const ResidentPlan<T>& plan = own->plan;
    const ResidentArguments<T> arguments{.n_rows = rows.n_rows,
                                         .slots = plan.slots,
                                         .total_slots = total_slots,
                                         .max_halo = plan.max_halo,
                                         .max_entries = plan.max_entries,
                                         .lanes = lanes_for(plan.slots, plan.max_entries),
                                         .row = plan.row.data(),
                                         .start = plan.start.data(),
                                         .base = plan.base.data(),
                                         .col = plan.col.data(),
                                         .value = plan.value.data(),
                                         .n_halo = plan.n_halo.data(),
                                         .halo = plan.halo.data(),
                                         .inverse_diagonal = diagonal_of<T>(m),
                                         .x = x.data(),
                                         .r = r.data(),
                                         .p = p.data(),
                                         .published = own->published.data(),
                                         .state = state.data(),
                                         .exchange = {own->boxes.data()},
                                         .loop = {}};
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    if (plan.slots * arguments.lanes <= InRegisters::threads * InRegisters::strips) {
        use_layout<InRegisters, jacobi>(backend, step, own, arguments);
    } else if (plan.slots * arguments.lanes <= InSharedMemory<2>::threads * InSharedMemory<2>::strips) {
        use_layout<InSharedMemory<2>, jacobi>(backend, step, own, arguments);
    } else {
        use_layout<MostRows, jacobi>(backend, step, own, arguments);
    }
}

}  // namespace

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCsr<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        const CsrRows<T, Offset> rows{a.n_rows, row_ptr, a.col_idx.data(), a.values.data()};
        set_resident_rows<T>(backend, step, rows, a.n_rows, a.nnz(), m, x, r, p, state);
    });
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (a.slice_height != warp_size) return;
    const SellRows<T> rows{a.n_rows,         a.slice_ptr.data(), a.row_length.data(), a.row_of_slot.data(),
                           a.col_idx.data(), a.values.data()};
    set_resident_rows<T>(backend, step, rows, static_cast<Index>(a.n_slots()), a.values.size(), m, x, r, p, state);
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceEllpack<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const bool by_rows = a.layout == EllpackLayout::row_major;
    const EllpackRows<T> rows{
        a.n_rows,         a.width,        by_rows ? a.stride : 1, by_rows ? 1 : a.stride, a.row_length.data(),
        a.col_idx.data(), a.values.data()};
    set_resident_rows<T>(backend, step, rows, a.n_rows, Size{a.n_rows} * a.width, m, x, r, p, state);
}

template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<float>&, const DeviceJacobi<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);

}  // namespace stiefel
