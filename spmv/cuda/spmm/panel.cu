#include "stiefel/core/cuda/ask_for.cuh"
#include "stiefel/spmv/cuda/spmm/panel.cuh"

namespace stiefel::cuda {

namespace {

constexpr int panel_threads = 256;

/// Asks for the entries of the block `ahead` blocks from this one: when it runs, its threads wait for the cache and no
/// longer for memory, two of the three times that they wait at all.
template <class Rows>
__device__ void ask_for_entries(const Rows& rows, int ahead, Index rows_a_block) {
    const Size begin = (Size{blockIdx.x} + ahead) * rows_a_block;
    if (begin + rows_a_block > rows.size()) return;
    const auto [first, last] = rows.span(begin, begin + rows_a_block);
    ask_for(rows.col_idx + first, (last - first) * static_cast<Size>(sizeof(Index)));
    ask_for(rows.values + first, (last - first) * static_cast<Size>(sizeof(typename Rows::value_type)));
}

/// A team a row. The teams of a block have rows side by side: the columns of rows beside each other mostly lie beside
/// each other too, so that a warp reads whole cache lines of X.
template <class Shape, class Rows, class T>
__global__ void __launch_bounds__(panel_threads, 4) panel_kernel(Rows rows, int ahead, PanelArguments<T> s) {
    begin_kernel();
    constexpr Index rows_a_block = panel_threads / Shape::lanes;
    if (ahead > 0 && threadIdx.x == panel_threads - warp_size) ask_for_entries(rows, ahead, rows_a_block);
    const Size place = Size{blockIdx.x} * rows_a_block + threadIdx.x / Shape::lanes;
    if (place >= rows.size()) return;
    const Index row = rows.target(place);
    if (row >= rows.n_rows) return;
    const PieceColumns<T, Shape> pieces(false);
    const auto entries = rows.entries(place);
    T* const y = row_at(s.y, static_cast<unsigned>(row), s.y_step);
    for (Index tile = 0; tile < s.k; tile += Shape::columns) {
        const bool inside = Shape::exact || tile + pieces.first[0] < s.k;
        if (!inside) break;
        RowSums<T, Shape> sums;
        sums.template add<4>(rows.col_idx + entries.first, rows.values + entries.first, entries.count, entries.step,
                             s.x + tile, s.x_step, pieces);
        sums.store(y + tile, s, pieces);
        if constexpr (Shape::exact) break;
    }
}

/// How many blocks ahead entries are asked for, with `resident` blocks at a time: soon enough to have come, and not so
/// soon that they push out of the second-level cache what is used before them. The bounds are measured: times rise
/// steeply from 4 MB and from all resident blocks on. So do those of CSR where a block has long rows.
template <class Rows>
int blocks_ahead(int resident, Size bytes_a_block) {
    constexpr Size most_bytes = Size{2} << 20;
    constexpr Size most_bytes_a_block = Size{32} << 10;
    if (Rows::is_csr && bytes_a_block > most_bytes_a_block) return 0;
    return static_cast<int>(std::min<Size>(resident * 3 / 4, most_bytes / std::max<Size>(bytes_a_block, 1)));
}

template <class Shape, class Rows, class T>
void launch_panel(Cuda& backend, const Rows& rows, Size nnz, const PanelArguments<T>& panel) {
    constexpr Index rows_a_block = panel_threads / Shape::lanes;
    const auto kernel = panel_kernel<Shape, Rows, T>;
    const int blocks = spmm_grid(rows.size(), rows_a_block);
    int ahead = 0;
    if constexpr (Rows::is_contiguous) {
        const int resident = blocks_at_once(backend, kernel, panel_threads, 0, "preparing spmm_panel") *
                             backend.device().multiprocessors;
        const Size entries_a_block = nnz * rows_a_block / std::max(rows.n_rows, 1);
        if (blocks > resident) {
            ahead = blocks_ahead<Rows>(resident, entries_a_block * static_cast<Size>(sizeof(T) + sizeof(Index)));
        }
    }
    launch(backend, kernel, blocks, panel_threads, "launching spmm_panel", rows, ahead, panel);
}

/// Whether few rows leave room for several threads each, or rows of very different lengths would wait for each other.
template <class T>
bool suits_row_teams(const Cuda& backend, const DeviceCsr<T>& a, Index k) {
    const Size at_once = Size{2048} * backend.device().multiprocessors;
    const Size bytes_a_lane = 16;
    const Size lanes = std::max<Size>(k * static_cast<Size>(sizeof(T)) / bytes_a_lane, 1);
    return a.shares.has_split_rows || a.n_rows * lanes <= at_once * 5 / 2;
}

}  // namespace

template <class Matrix>
void spmm_panel(Cuda& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    using T = typename Matrix::value_type;
    if constexpr (requires { a.shares; }) {
        if (suits_row_teams(backend, a, s.k)) return spmm_row_teams(backend, a, s);
    }
    bool done = false;
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        if constexpr (Rows::has_panels) {
            done = with_panel(backend, a.n_rows, s, [&]<class Shape>(Shape, const PanelArguments<T>& panel) {
                launch_panel<Shape>(backend, rows, a.nnz(), panel);
            });
        }
    });
    if (!done) spmm_element_bounds(backend, a, s);
}

template void spmm_panel(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_panel(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);
template void spmm_panel(Cuda&, const DeviceEllpack<double>&, const SpmmArguments<double>&);
template void spmm_panel(Cuda&, const DeviceEllpack<float>&, const SpmmArguments<float>&);
template void spmm_panel(Cuda&, const DeviceSell<double>&, const SpmmArguments<double>&);
template void spmm_panel(Cuda&, const DeviceSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
