#include "stiefel/spmv/cuda/spmm/panel.cuh"

namespace stiefel::cuda {

namespace {

constexpr int threads = 256;

/// Rows longer than this are taken by all of a block together.
constexpr Index long_row = 256;

/// The rows of each block: equally many or, where rows differ much, those that begin in equal shares of the nonzeros.
struct BlockRows {
    const Index* first_row;  ///< of each share; null: equally many rows
    Size n;                  ///< shares or rows
    Index per_block;         ///< shares or rows
    int ahead;               ///< blocks from one that runs to the one whose entries it asks for; 0: none

    __device__ Size bound(Size block) const {
        const Size bound = min(block * per_block, n);
        return first_row != nullptr ? first_row[bound] : bound;
    }
};

/// Rows longer than long_row among begin .. end, one after the other: each team takes its part of the entries; the
/// parts are added up by shuffles within a warp, then over the warps.
template <class Shape, class Rows, class T>
__device__ void add_long_rows(const Rows& rows, const PanelArguments<T>& s, Size begin, Size end) {
    constexpr int warps = threads / warp_size;
    constexpr int teams = threads / Shape::lanes;
    constexpr int tile = Shape::lanes * Shape::width;  // columns of a piece
    __shared__ T parts[warps][tile];
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int team = static_cast<int>(threadIdx.x) / Shape::lanes;
    using OnePiece = PanelShape<Shape::lanes, Shape::width, 1, Shape::exact>;
    const PieceColumns<T, OnePiece> pieces(true);
    const Index first_column = pieces.first[0];
    for (Size place = begin; place < end; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const auto entries = rows.entries(place);
        if (entries.count <= long_row) continue;
        const Index first = static_cast<Index>(Size{entries.count} * team / teams);
        const Index count = static_cast<Index>(Size{entries.count} * (team + 1) / teams) - first;
        const Size at = entries.first + first * entries.step;
        for (Index column = first_column; column - first_column < s.k; column += tile) {
            RowSums<T, OnePiece> sums;
            if (column < s.k) {
                sums.template add<4>(rows.col_idx + at, rows.values + at, count, entries.step,
                                     s.x + column - first_column, s.ldx, pieces);
            }
            sums.add_teams();
            if (threadIdx.x % warp_size < Shape::lanes) {
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) parts[warp][first_column + c] = sums.value[0][c];
            }
            __syncthreads();
            if (team == 0 && column < s.k) {
                for (int other = 1; other < warps; ++other) {
#pragma unroll
                    for (int c = 0; c < Shape::width; ++c) sums.value[0][c] += parts[other][first_column + c];
                }
                sums.store(s.y + std::size_t{static_cast<unsigned>(row)} * s.ldy + column - first_column, s, pieces);
            }
            __syncthreads();
        }
    }
}

/// Brings `bytes` bytes towards the multiprocessors, as far as the second-level cache.
__device__ inline void ask_for(const void* from, Size bytes) {
#if __CUDA_ARCH__ >= 900
    constexpr std::uintptr_t line = 16;
    const auto whole = static_cast<unsigned>(bytes / line * line);
    if (whole == 0) return;
    asm volatile(
        "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(reinterpret_cast<std::uintptr_t>(from) & ~(line - 1)),
        "r"(whole)
        : "memory");
#endif
}

/// Asks for the entries of a block that will run when this one has ended: its threads then wait for the cache and no
/// longer for memory, two of the three times that they wait at all.
template <class Rows>
__device__ void ask_for_entries(const BlockRows& of_block, const Rows& rows) {
    const Size block = Size{blockIdx.x} + of_block.ahead;
    if ((block + 1) * of_block.per_block > of_block.n) return;
    const auto [first, last] = rows.span(block * of_block.per_block, (block + 1) * of_block.per_block);
    ask_for(rows.col_idx + first, (last - first) * static_cast<Size>(sizeof(Index)));
    ask_for(rows.values + first, (last - first) * static_cast<Size>(sizeof(typename Rows::value_type)));
}

/// The teams of a block take its rows in turn, side by side: the columns of rows beside each other mostly lie beside
/// each other too, so that a warp reads whole cache lines of X. `warp_a_row`: all teams of a warp share a row.
template <class Shape, bool warp_a_row, class Rows, class T>
__global__ void __launch_bounds__(threads, 4) panel_kernel(BlockRows of_block, Rows rows, PanelArguments<T> s) {
    begin_kernel();
    constexpr int lanes_a_row = warp_a_row ? warp_size : Shape::lanes;
    if (of_block.ahead > 0 && threadIdx.x == threads - warp_size) ask_for_entries(of_block, rows);
    const PieceColumns<T, Shape> pieces(warp_a_row);
    bool has_long_rows = false;
    const Size end = of_block.bound(Size{blockIdx.x} + 1);
    const Size begin = of_block.bound(blockIdx.x);
    for (Size place = begin + threadIdx.x / lanes_a_row; place < end; place += threads / lanes_a_row) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        auto entries = rows.entries(place);
        if (Rows::may_be_uneven && entries.count > long_row) {
            has_long_rows = true;
            continue;
        }
        if constexpr (warp_a_row) {
            constexpr int teams = warp_size / Shape::lanes;
            const int team = static_cast<int>(threadIdx.x) % warp_size / Shape::lanes;
            const Index first = entries.count * team / teams;
            entries.count = entries.count * (team + 1) / teams - first;
            entries.first += first * entries.step;
        }
        T* const y = s.y + std::size_t{static_cast<unsigned>(row)} * s.ldy;
        for (Index tile = 0; tile < s.k; tile += Shape::columns) {
            const bool inside = Shape::exact || tile + pieces.first[0] < s.k;
            RowSums<T, Shape> sums;
            if (inside) {
                sums.template add<4>(rows.col_idx + entries.first, rows.values + entries.first, entries.count,
                                     entries.step, s.x + tile, s.ldx, pieces);
            }
            if constexpr (warp_a_row) sums.add_teams();
            if (inside && (!warp_a_row || threadIdx.x % warp_size < Shape::lanes)) sums.store(y + tile, s, pieces);
            if constexpr (Shape::exact) break;
        }
    }
    if constexpr (Rows::may_be_uneven) {
        if (__syncthreads_or(has_long_rows)) add_long_rows<Shape>(rows, s, begin, end);
    }
}

/// How many blocks ahead entries are asked for, with `resident` blocks at a time: soon enough to have come, and not so
/// soon that they push out of the second-level cache what is used before them. The bounds are measured: times rise
/// steeply from 4 MB and from all resident blocks on. So do those of CSR where a block has long rows.
template <class Rows>
int blocks_ahead(int resident, Size bytes_a_block) {
    constexpr Size most_bytes = Size{2} << 20;
    constexpr Size most_bytes_a_block = Size{32} << 10;
    if (Rows::may_be_uneven && bytes_a_block > most_bytes_a_block) return 0;
    return static_cast<int>(std::min<Size>(resident * 3 / 4, most_bytes / std::max<Size>(bytes_a_block, 1)));
}

template <class Shape, bool warp_a_row, class Rows, class T>
void launch_panel(Cuda& backend, const Rows& rows, Size nnz, const CsrShares* shares, const PanelArguments<T>& panel) {
    constexpr Index rows_a_round = threads / (warp_a_row ? warp_size : Shape::lanes);
    const auto kernel = panel_kernel<Shape, warp_a_row, Rows, T>;
    if (shares != nullptr) {
        const BlockRows of_block{shares->first_row.data(), shares->n_shares, 1, 0};
        return launch(backend, kernel, spmm_grid(of_block.n, 1), threads, "launching spmm_panel", of_block, rows,
                      panel);
    }
    BlockRows of_block{nullptr, rows.size(), rows_a_round, 0};
    const int blocks = spmm_grid(of_block.n, of_block.per_block);
    if constexpr (Rows::is_contiguous && !warp_a_row) {
        int resident = 0;
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0),
                   "preparing spmm_panel");
        resident *= backend.device().multiprocessors;
        const Size entries_a_block = nnz * rows_a_round / std::max(rows.n_rows, 1);
        if (blocks > resident) {
            of_block.ahead =
                blocks_ahead<Rows>(resident, entries_a_block * static_cast<Size>(sizeof(T) + sizeof(Index)));
        }
    }
    launch(backend, kernel, blocks, threads, "launching spmm_panel", of_block, rows, panel);
}

template <class Rows>
constexpr bool has_wide_offsets = false;
template <class T>
constexpr bool has_wide_offsets<CsrRows<T, std::int64_t>> = true;

/// A warp shares a row of CSR where there are too few rows to keep the device busy otherwise, or where rows of very
/// different lengths would wait for each other.
template <class Shape, class Rows, class T>
void launch_shape(Cuda& backend, const Rows& rows, Size nnz, const CsrShares* shares, const PanelArguments<T>& panel) {
    const Size threads_at_once = Size{2048} * backend.device().multiprocessors;
    const Size mean = nnz / std::max(rows.n_rows, 1);
    const bool is_uneven = shares != nullptr && shares->has_split_rows;
    const bool is_small = Size{rows.n_rows} * warp_size <= threads_at_once;
    const CsrShares* const by_shares = is_uneven && !is_small ? shares : nullptr;
    if constexpr (Rows::may_be_uneven && !has_wide_offsets<Rows>) {
        if (is_small || is_uneven || (mean > 12 && Size{rows.n_rows} * Shape::lanes <= threads_at_once)) {
            return launch_panel<Shape, true>(backend, rows, nnz, by_shares, panel);
        }
    }
    launch_panel<Shape, false>(backend, rows, nnz, by_shares, panel);
}

}  // namespace

template <class Matrix>
void spmm_panel(Cuda& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    using T = typename Matrix::value_type;
    const CsrShares* shares = nullptr;
    if constexpr (requires { a.shares; }) shares = &a.shares;
    bool done = false;
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        if constexpr (Rows::has_panels) {
            done = with_panel(backend, a.n_rows, s, [&]<class Shape>(Shape, const PanelArguments<T>& panel) {
                launch_shape<Shape>(backend, rows, a.nnz(), shares, panel);
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
