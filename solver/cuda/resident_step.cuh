#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/resident_kernel.cuh"
#include "stiefel/solver/resident.hpp"

#include <algorithm>

// Whether a system becomes resident, in which layout and on how many blocks.

namespace stiefel::cuda {

/// Systems of no more slots and entries go to one block: without other blocks to wait for an iteration is shortest, as
/// long as it is in registers and there are few of them (H200: a 5-point grid of 32^2 0.38 ms in one block, 0.43 in
/// eight; nos3, 960 rows and 15,844 entries, 1.11 and 0.86).
inline constexpr Index one_block_slots = InRegisters::threads * InRegisters::strips;
inline constexpr Size one_block_entries = 6144;

/// Slots and entries of a block below which more blocks cost more in waiting than they save in work.
inline constexpr Index least_slots = 128;
inline constexpr Size least_entries = 3072;

/// What the closure of a resident step owns.
template <class T>
struct Resident {
    ResidentPlan<T> plan;
    DeviceVector<Letter> letters;  // boxes of sums, then room for elements of A p, of two iterations

    Letter* posted() { return letters.data() + GridExchange::n_boxes; }
    Size bytes_to_clear(bool posted_too) const {
        return posted_too ? letters.bytes() : GridExchange::n_boxes * static_cast<Size>(sizeof(Letter));
    }
};

/// Lanes a row so that strips fill the threads, with a few entries each.
inline int lanes_for(Index slots, Index entries) {
    constexpr int strips = InRegisters::threads * InRegisters::strips;
    int lanes = 1;
    while (lanes < warp_size && 2 * lanes * slots <= strips && 3 * lanes * Size{slots} <= entries) lanes *= 2;
    return lanes;
}

/// f(layout), by how much there is for a block.
template <class T, class F>
void with_layout(const ResidentPlan<T>& plan, F&& f) {
    const Index strips = plan.slots * lanes_for(plan.slots, plan.max_entries);
    const auto holds = [&](auto layout) { return strips <= decltype(layout)::threads * decltype(layout)::strips; };
    if (holds(InRegisters{})) return f(InRegisters{});
    if (holds(InSharedMemory<2>{})) return f(InSharedMemory<2>{});
    f(MostRows{});
}

/// Lets the step run a kernel of this layout.
template <class Layout, bool jacobi, class T>
void use_layout(Cuda& backend, CudaStep& step, std::shared_ptr<Resident<T>> own,
                const ResidentArguments<T>& arguments) {
    const auto kernel = resident_kernel<Layout, jacobi, T>;
    const auto shared_bytes = static_cast<int>(ResidentBlock<Layout, T>::bytes(own->plan));
    allow_shared(backend, kernel, shared_bytes, "asking for shared memory");
    step.resident = [&backend, own, arguments, kernel, shared_bytes](const CudaLoop& loop) {
        backend.zero_bytes(own->letters.data(), own->bytes_to_clear(!Layout::template Elements<T>::are_published));
        ResidentArguments<T> now = arguments;
        now.loop = loop;
        launch_together(backend, kernel, own->plan.blocks, Layout::threads, shared_bytes, "launching the resident loop",
                        now);
    };
}

template <class T, class Rows, class M>
void set_resident_rows(Cuda& backend, CudaStep& step, const Rows& rows, Index total_slots, Size n_stored, Size nnz,
                       const M& m, DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p,
                       DeviceVector<CgState>& state) {
    if (!backend.is_alone()) return;  // its blocks exchange sums among themselves alone
    const CudaDevice& device = backend.device();
    const Size entry_bytes = sizeof(T) + sizeof(Index);
    if (total_slots == 0 || n_stored * entry_bytes > device.shared_bytes_per_block * device.multiprocessors) return;
    const int most_blocks = std::min(device.multiprocessors, max_exchange_blocks);
    constexpr Size kernels_own_bytes = 4096;
    const Size most_bytes = device.shared_bytes_per_block - kernels_own_bytes;
    const auto fits = [&](const ResidentPlan<T>& plan) {
        Size bytes = 0;
        with_layout(plan, [&](auto layout) { bytes = ResidentBlock<decltype(layout), T>::bytes(plan); });
        return plan.max_halo < resident_rows && plan.slots <= MostRows::threads * MostRows::strips &&
               bytes <= most_bytes;
    };
    auto own = std::make_shared<Resident<T>>();
    if (total_slots <= one_block_slots && nnz <= one_block_entries) {
        own->plan = make_resident_plan<T>(backend, rows, total_slots, n_stored, 1);
    }
    if (own->plan.blocks == 0 || !fits(own->plan)) {
        const Size blocks_of_work = std::max<Size>(total_slots / least_slots, nnz / least_entries);
        const int blocks = static_cast<int>(std::clamp<Size>(blocks_of_work, 2, most_blocks));
        own->plan = make_resident_plan<T>(backend, rows, total_slots, n_stored, blocks);
    }
    if (!fits(own->plan)) return;
    const Size posted = own->plan.blocks > 1 ? 2 * Size{rows.n_rows} : 0;
    own->letters = DeviceVector<Letter>(backend, GridExchange::n_boxes + posted);

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
                                         .q = own->posted(),
                                         .state = state.data(),
                                         .exchange = {own->letters.data()},
                                         .loop = {}};
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    with_layout(plan, [&](auto layout) { use_layout<decltype(layout), jacobi>(backend, step, own, arguments); });
}

template <class Matrix, class T, class M>
void set_resident_matrix(Cuda& backend, CudaStep& step, const Matrix& a, const M& m, DeviceVector<T>& x,
                         DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (a.n_rows != a.n_cols) return;
    visit_slots(a, [&](const auto& rows, Index slots, Size n_stored) {
        set_resident_rows<T>(backend, step, rows, slots, n_stored, a.nnz(), m, x, r, p, state);
    });
}

}  // namespace stiefel::cuda
