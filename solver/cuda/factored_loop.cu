#include "stiefel/solver/factored_loop.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/factors_in_cache.hpp"
#include "stiefel/solver/cuda/factored_kernel.cuh"
#include "stiefel/solver/cuda/rows_in_order.cuh"

#include <algorithm>
#include <array>
#include <memory>

namespace stiefel {

namespace {

/// Rows that a block has at least, or entries of all three matrices, before another is worth waiting for (H200, us an
/// iteration with 8, 16, 32, 64, 128 blocks, measured in part as blocks looked again at what was there: 1138_bus 4.9,
/// 5.7, 5.7, 5.6, 6.9; rail_5177_negA 13.9, 7.8, 6.1, 5.4, 6.0; bcsstk14 7.5, 6.4, 5.4, 5.6, 7.3).
constexpr Size least_rows_of_block = 80, least_entries_of_block = 3584;

/// What the closure of the step owns.
template <class T>
struct Factored {
    ResidentPlan<T> a, lower, upper;  // the last where there is one
    DeviceVector<Letter> letters;     // boxes of sums, then what neighbours are told
};

/// By rows; one that does not fit where the format is not known.
template <class T>
ResidentPlan<T> plan_of(Cuda& backend, StartedPlans<T>& started, const SpmvOperator<Cuda, T>& a, int blocks) {
    ResidentPlan<T> plan;
    plan.max_halo = resident_rows;
    a.visit([&](const auto& matrix, const auto&) {
        visit_rows_in_order<T>(backend, matrix, [&](const auto& rows, Size n_stored) {
            plan = started.start(backend, rows, rows.n_rows, n_stored, blocks);
        });
    });
    return plan;
}

/// Threads of a row, as a power of two: a few entries for each, while there are threads.
template <class T>
int log_lanes_of(const ResidentPlan<T>& plan, Index threads) {
    constexpr Size least_entries = 2;
    int log = 0;
    const auto lanes = [&] { return Index{1} << log; };
    while (lanes() < warp_size && 2 * lanes() * plan.slots <= threads &&
           2 * least_entries * lanes() * plan.slots <= plan.max_entries) {
        ++log;
    }
    return log;
}

template <class T>
cuda::FactoredMatrix<T> in_kernel(const ResidentPlan<T>& plan, Index threads = cuda::factored_threads) {
    return {.start = plan.start.data(),
            .base = plan.base.data(),
            .col = plan.col.data(),
            .value = plan.value.data(),
            .n_halo = plan.n_halo.data(),
            .halo = plan.halo.data(),
            .max_halo = plan.max_halo,
            .max_entries = plan.max_entries,
            .log_lanes = log_lanes_of(plan, threads),
            .is_shared = false};
}

/// Bytes of shared memory; those matrices go there that have room beside the vectors.
template <class T>
Size share(cuda::FactoredArguments<T>& arguments, Size most_bytes) {
    cuda::SharedRoom room(nullptr);
    cuda::FactoredVectors<T>(room, arguments);
    const std::array matrices{&arguments.a, &arguments.lower, &arguments.upper};
    const auto bytes = [&] {
        cuda::SharedRoom all = room;
        for (const auto* const matrix : matrices) {
            if (matrix->start != nullptr) cuda::SharedRows<T>(all, *matrix, arguments.rows_of_block);
        }
        return all.bytes();
    };
    for (auto* const matrix : matrices) {
        if (matrix->start == nullptr) continue;
        matrix->is_shared = true;
        matrix->is_shared = bytes() <= most_bytes;
    }
    return bytes();
}

}  // namespace

template <class T>
void set_factored(Cuda& backend, CudaStep& step, const SpmvOperator<Cuda, T>& a, const SparseFactors<Cuda, T>& m,
                  DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (!backend.is_alone()) return;  // its blocks exchange sums among themselves alone
    if (a.n_rows() == 0 || a.n_rows() != a.n_cols()) return;
    const Size bytes = a.bytes() + m.lower->bytes() + (m.upper != nullptr ? m.upper->bytes() : 0);
    if (!factors_stay_in_cache<T>(backend, a.n_rows(), bytes)) return;
    const Size most_blocks = std::min(backend.device().multiprocessors, max_exchange_blocks);
    const Size entries = a.nnz() + m.lower->nnz() + (m.upper != nullptr ? m.upper->nnz() : 0);
    const Size wished = std::max(a.n_rows() / least_rows_of_block, entries / least_entries_of_block);
    const auto blocks = static_cast<int>(std::clamp<Size>(wished, 1, most_blocks));
    const auto own = std::make_shared<Factored<T>>();
    StartedPlans<T> started(backend, 3);
    own->a = plan_of(backend, started, a, blocks);
    own->lower = plan_of(backend, started, *m.lower, blocks);
    if (m.upper != nullptr) own->upper = plan_of(backend, started, *m.upper, blocks);
    started.finish(backend, std::array{&own->a, &own->lower, &own->upper});
    for (const auto* const plan : {&own->a, &own->lower, &own->upper}) {
        if (plan->max_halo >= resident_rows) return;
    }
    own->letters = DeviceVector<Letter>(backend, GridExchange::n_boxes + posted_vectors * a.n_rows());
    Letter* const posted = own->letters.data() + GridExchange::n_boxes;
    cuda::FactoredArguments<T> arguments{.n_rows = a.n_rows(),
                                         .rows_of_block = own->a.slots,
                                         .a = in_kernel(own->a),
                                         .lower = in_kernel(own->lower),
                                         .upper = in_kernel(own->upper, cuda::factored_threads - cuda::summing),
                                         .x = x.data(),
                                         .r = r.data(),
                                         .p = p.data(),
                                         .q = {posted},
                                         .lq = {posted + a.n_rows()},
                                         .mq = {posted + Size{3} * a.n_rows()},
                                         .state = state.data(),
                                         .exchange = {own->letters.data()},
                                         .loop = {}};
    static_assert(sizeof(Letter) == 16);
    constexpr Size fixed_bytes = 4096;  // of the kernel's own
    const Size most_bytes = backend.device().shared_bytes_per_block - fixed_bytes;
    const auto shared_bytes = static_cast<int>(share(arguments, most_bytes));
    if (shared_bytes > most_bytes) return;
    const auto kernel = m.upper != nullptr ? cuda::factored_kernel<T, true> : cuda::factored_kernel<T, false>;
    allow_shared(backend, kernel, shared_bytes, "asking for shared memory");
    step.resident = [&backend, own, arguments, shared_bytes, kernel](const CudaLoop& loop) {
        backend.zero_bytes(own->letters.data(), own->letters.bytes());
        cuda::FactoredArguments<T> now = arguments;
        now.loop = loop;
        launch_together(backend, kernel, own->a.blocks, cuda::factored_threads, shared_bytes,
                        "launching the factored loop", now);
    };
}

template void set_factored(Cuda&, CudaStep&, const SpmvOperator<Cuda, double>&, const SparseFactors<Cuda, double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_factored(Cuda&, CudaStep&, const SpmvOperator<Cuda, float>&, const SparseFactors<Cuda, float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);

}  // namespace stiefel
