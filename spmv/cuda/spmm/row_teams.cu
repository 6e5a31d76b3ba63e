#include "stiefel/spmv/cuda/spmm/row_teams.cuh"

namespace stiefel::cuda {

namespace {

/// For most rows everything is one round: bounds, entries, X, a sum over the teams. A small matrix takes the time of
/// that chain, so its first links are made while the kernel ahead, which may still be writing X, has not ended. The
/// matrix is settled by then, or the kernel was started to wait for all.
template <class Shape, int per_row, class Rows, class T>
__global__ void __launch_bounds__(most_team_threads) row_teams_kernel(Rows rows, PanelArguments<T> s) {
    announce_kernel();
    constexpr std::integral_constant<int, per_row / Shape::lanes> teams;
    const unsigned row = blockIdx.x * (blockDim.x / per_row) + threadIdx.x / per_row;
    const bool is_row = row < static_cast<unsigned>(rows.n_rows);
    const DeviceEntries<StepOne> of_row = is_row ? rows.entries(row) : DeviceEntries<StepOne>{};
    const TeamEntries from(rows, of_row, static_cast<int>(threadIdx.x % per_row / Shape::lanes), teams);
    const EntryBatch<T> entries(from);
    await_kernel_ahead();
    multiply_row<per_row>(entries, from, is_row, static_cast<Index>(row), s, PieceColumns<T, Shape>(true));
}

template <class Shape, int per_row, class Rows, class T>
void launch_row_teams(Cuda& backend, const Rows& rows, bool settled, const PanelArguments<T>& panel) {
    // More blocks for the multiprocessors to share while there are few.
    const int threads = Size{rows.n_rows} * per_row <= 100000 ? most_team_threads / 2 : most_team_threads;
    launch_as(backend, row_teams_kernel<Shape, per_row, Rows, T>,
              {.blocks = spmm_grid(rows.n_rows, threads / per_row), .threads = threads, .waits_for_all = !settled},
              "launching spmm_row_teams", rows, panel);
}

template <class T>
bool is_settled(const DeviceCsr<T>& a) {
    return a.values.is_settled() && a.col_idx.is_settled() &&
           a.row_ptr.visit_array([](const auto& offsets) { return offsets.is_settled(); });
}

/// A kernel that waits for all has been started. One that is captured runs later, and perhaps never.
template <class T>
void settle(const Cuda& backend, const DeviceCsr<T>& a) {
    if (backend.is_capturing()) return;
    a.values.settle();
    a.col_idx.settle();
    a.row_ptr.visit_array([](const auto& offsets) { offsets.settle(); });
}

}  // namespace

template <class T>
void spmm_row_teams(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    const Size usual = std::min<Size>(a.shares.longest_row, 4 * a.nnz() / std::max(a.n_rows, 1));
    const bool settled = is_settled(a);
    bool done = false;
    with_panel(backend, a.n_rows, s, [&]<class Given>(Given, const PanelArguments<T>& panel) {
        using Shape = TeamShape<Given>;
        const int threads = threads_a_row(backend, a.n_rows, a.nnz(), usual, Shape::lanes);
        if (a.shares.longest_row > longest_team_row(threads)) return;
        with_rows(a, [&](const auto& rows) {
            with_threads_a_row<Shape::lanes>(
                threads, [&](auto per_row) { launch_row_teams<Shape, per_row()>(backend, rows, settled, panel); });
        });
        if (!settled) settle(backend, a);
        done = true;
    });
    if (!done) spmm_row_shares(backend, a, s);
}

template void spmm_row_teams(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_row_teams(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
