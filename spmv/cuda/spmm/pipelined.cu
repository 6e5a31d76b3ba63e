#include "stiefel/spmv/cuda/spmm/panel.cuh"

namespace stiefel::cuda {

namespace {

constexpr int pipeline_threads = 256;
constexpr int warps = pipeline_threads / warp_size;

/// The most entries that a warp has room for, twice: most of a multiprocessor's memory is left to its cache, where rows
/// of X wait to be used again.
constexpr Index most_room = 384;

/// Rows of X that are longer fill a warp's loads without this.
constexpr std::size_t most_bytes = 64;

__device__ inline void copy_ahead_4(void* shared, const void* global) {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
        "l"(global)
        : "memory");
}
__device__ inline void copy_ahead_8(void* shared, const void* global) {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
        "l"(global)
        : "memory");
}
template <class T>
__device__ void copy_ahead(T* shared, const T* global) {
    if constexpr (sizeof(T) == 8) {
        copy_ahead_8(shared, global);
    } else {
        copy_ahead_4(shared, global);
    }
}
__device__ inline void close_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits for all copies but those of the last group.
__device__ inline void await_copies_but_one() {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
}

/// The entries of the rows that a warp multiplies at a time, one row a team.
template <class Offset>
struct WarpRows {
    Offset begin;  ///< of the team's row
    Offset end;
    Offset first;  ///< of all rows
    Offset last;

    __device__ WarpRows(const Offset* row_ptr, Size row, Size n_rows)
        : begin(row_ptr[min(row, n_rows)]), end(row_ptr[min(row + 1, n_rows)]) {
        first = __shfl_sync(all_lanes, begin, 0);
        last = __shfl_sync(all_lanes, end, warp_size - 1);
    }
};

/// Each warp takes groups of neighbouring rows, one row a team, a whole grid apart from one to the next: all warps work
/// in the same part of the matrix, so rows of X are read again while the cache still has them. While a group is
/// multiplied, the entries of the next are copied into shared memory, in the order of memory, and the bounds of the one
/// after it are read: of the chain offsets, entries, X, only the last link is waited for.
template <class Shape, class T, class Offset>
__global__ void __launch_bounds__(pipeline_threads, 4)
    pipelined_kernel(DeviceCsrRows<T, Offset> a, Index room, PanelArguments<T> s) {
    begin_kernel();
    extern __shared__ double shared[];
    constexpr int teams = warp_size / Shape::lanes;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const PieceColumns<T, Shape> pieces(false);
    T* const values = reinterpret_cast<T*>(shared) + warp * 2 * room;
    Index* const col_idx = reinterpret_cast<Index*>(reinterpret_cast<T*>(shared) + warps * 2 * room) + warp * 2 * room;
    const Size n_rows = a.n_rows;
    const Size stride = Size{gridDim.x} * warps * teams;

    const auto copy_entries = [&](const WarpRows<Offset>& group, int buffer) {
        if (group.last - group.first <= room) {
            for (Offset at = group.first + lane; at < group.last; at += warp_size) {
                const auto place = buffer * room + static_cast<Index>(at - group.first);
                copy_ahead(values + place, a.values + at);
                copy_ahead(col_idx + place, a.col_idx + at);
            }
        }
        close_copies();
    };

    Size row = (Size{blockIdx.x} * warps + warp) * teams + lane / Shape::lanes;
    WarpRows<Offset> group(a.row_ptr, row, n_rows);
    copy_entries(group, 0);
    WarpRows<Offset> next(a.row_ptr, row + stride, n_rows);
    // All teams of a warp leave together: the first one's row is the least.
    for (int buffer = 0; row - lane / Shape::lanes < n_rows; buffer ^= 1, row += stride) {
        copy_entries(next, buffer ^ 1);
        await_copies_but_one();
        __syncwarp();
        const WarpRows<Offset> after(a.row_ptr, row + 2 * stride, n_rows);
        RowSums<T, Shape> sums;
        const auto count = static_cast<Index>(group.end - group.begin);
        if (group.last - group.first <= room) {
            const auto place = buffer * room + static_cast<Index>(group.begin - group.first);
            sums.template add<8>(col_idx + place, values + place, count, StepOne(), s.x, s.x_step, pieces);
        } else {
            sums.template add<8>(a.col_idx + group.begin, a.values + group.begin, count, StepOne(), s.x, s.x_step,
                                 pieces);
        }
        if (row < n_rows) sums.store(row_at(s.y, static_cast<unsigned>(row), s.y_step), s, pieces);
        group = next;
        next = after;
        __syncwarp();
    }
}

/// Room for the entries of `rows` rows of the mean length and a quarter more.
template <class T>
Index room_for(const DeviceCsr<T>& a, Index rows) {
    const Size mean = a.nnz() * rows / std::max(a.n_rows, 1);
    return static_cast<Index>(std::min<Size>((mean + mean / 4 + 32) / 16 * 16, most_room + 1));
}

template <class Shape, class T, class Offset>
void launch_pipelined(Cuda& backend, const DeviceCsrRows<T, Offset>& rows, Index room, const PanelArguments<T>& panel) {
    const int bytes = warps * 2 * room * static_cast<int>(sizeof(T) + sizeof(Index));
    const auto kernel = pipelined_kernel<Shape, T, Offset>;
    constexpr int without_asking = 48 << 10;
    if (bytes > without_asking) {
        allow_shared(backend, kernel, bytes, "preparing spmm_pipelined");
    }
    const int resident = blocks_at_once(backend, kernel, pipeline_threads, bytes, "preparing spmm_pipelined");
    const int most_blocks = std::max(resident, 1) * backend.device().multiprocessors;
    const int blocks = std::min(spmm_grid(rows.n_rows, pipeline_threads / Shape::lanes), most_blocks);
    launch_shared(backend, kernel, blocks, pipeline_threads, bytes, "launching spmm_pipelined", rows, room, panel);
}

}  // namespace

template <class T>
void spmm_pipelined(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    bool taken = false;
    const bool is_large = Size{a.n_rows} * warp_size > Size{2048} * backend.device().multiprocessors;
    if (is_large && !a.shares.has_split_rows) {
        with_panel(backend, a.n_rows, s, [&]<class Given>(Given, const PanelArguments<T>& panel) {
            if constexpr (Given::exact && Given::columns * sizeof(T) <= most_bytes) {
                using Shape = PanelShape<Given::lanes * Given::pieces, Given::width, 1, true>;
                const Index room = room_for(a, warp_size / Shape::lanes);
                if (room > most_room) return;
                with_rows(a, [&](const auto& rows) { launch_pipelined<Shape>(backend, rows, room, panel); });
                taken = true;
            }
        });
    }
    if (!taken) spmm_panel(backend, a, s);
}

template void spmm_pipelined(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_pipelined(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
