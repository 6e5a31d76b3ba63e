#include "stiefel/solver/fused_spmm_gram.hpp"

#include "stiefel/core/cuda/ask_for.cuh"
#include "stiefel/dense/cuda/ptx.cuh"
#include "stiefel/dense/panel.hpp"
#include "stiefel/solver/cuda/gram_tiles.cuh"
#include "stiefel/spmv/cuda/spmm/panel.cuh"
#include "stiefel/spmv/spmm.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace stiefel {

namespace cuda {

namespace {

/// One block on each multiprocessor, of as many threads as was fastest.
constexpr int fused_threads(int k) {
    return k == 8 ? 768 : 1024;
}

/// As many warps as S' AS has tiles of 8 x 8. They multiply rows side by side, leave those of A S and of S in shared
/// memory, padded so that lanes find a column in different banks, and add them each to a tile of its own.
template <class Shape>
struct Group {
    static constexpr int tiles = Shape::columns / 8;
    static constexpr int warps = tiles * tiles;
    static constexpr int teams = warp_size / Shape::lanes;  ///< rows of a warp
    static constexpr int rows = warps * teams;
    static constexpr int width = Shape::columns + 4;
    static constexpr int threads = fused_threads(Shape::columns);
    static constexpr int of_block = threads / warp_size / warps;
    static constexpr int doubles = 2 * rows * width;
    static constexpr int bytes = of_block * doubles * static_cast<int>(sizeof(double));
    static_assert(Shape::columns * Shape::columns <= doubles, "there is room for the sums as well");

    static __device__ void wait(int group) {
        if constexpr (warps == 1) {
            __syncwarp();
        } else {
            asm volatile("barrier.sync %0, %1;" ::"r"(group + 1), "n"(warps * warp_size) : "memory");
        }
    }
};

/// A warp's next rows of A: a team's own, and the entries of all, so that they can be asked for.
template <class Rows>
struct NextRows {
    Index row;  ///< of the result, n_rows where there is none
    decltype(std::declval<const Rows&>().entries(0)) entries;

    template <int teams>
    __device__ static NextRows at(const Rows& rows, Size first, int team) {
        const Size place = first + team;
        if (place >= rows.size()) return {rows.n_rows, {}};
        NextRows next{rows.target(place), {}};
        if (next.row < rows.n_rows) next.entries = rows.entries(place);
        if constexpr (Rows::is_contiguous) {
            if (threadIdx.x % warp_size == 0 && first + teams <= rows.size()) {
                const auto [begin, end] = rows.span(first, first + teams);
                ask_for(rows.col_idx + begin, (end - begin) * static_cast<Size>(sizeof(Index)));
                ask_for(rows.values + begin, (end - begin) * static_cast<Size>(sizeof(double)));
            }
        }
        return next;
    }
};

/// S and A S, rows in 32 bits apart.
struct Panels {
    const double* s;
    double* as;
    unsigned lds;
    unsigned ldas;
};

/// A thread's part of a row of a panel: in pieces of `width` columns, `lanes` times as many apart.
template <class Shape>
struct RowPart {
    using Piece = Columns<double, Shape::width>;
    static constexpr int apart = Shape::lanes * Shape::width;
    static_assert(Shape::width == 2);

    double value[Shape::pieces][Shape::width] = {};

    /// Adds n entries of A, `step` apart, times their rows of S, from the thread's first column on.
    template <int n, class Step>
    __device__ __forceinline__ void add(const Index* col_idx, const double* values, Step step, const double* s,
                                        unsigned lds) {
        unsigned column[n];
        double entry[n];
#pragma unroll
        for (int u = 0; u < n; ++u) {
            column[u] = static_cast<unsigned>(col_idx[u * step]);
            entry[u] = values[u * step];
        }
        Piece piece[n][Shape::pieces];
#pragma unroll
        for (int u = 0; u < n; ++u) {
            const double* const row = s + std::size_t{column[u]} * lds;
#pragma unroll
            for (int q = 0; q < Shape::pieces; ++q) piece[u][q] = *reinterpret_cast<const Piece*>(row + q * apart);
        }
#pragma unroll
        for (int u = 0; u < n; ++u) {
#pragma unroll
            for (int q = 0; q < Shape::pieces; ++q) {
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) value[q][c] += entry[u] * piece[u][q].value[c];
            }
        }
    }

    template <class Step>
    __device__ __forceinline__ void add_all(const Index* col_idx, const double* values, Index count, Step step,
                                            const double* s, unsigned lds) {
        for (; count >= 4; count -= 4) {
            add<4>(col_idx, values, step, s, lds);
            col_idx += 4 * step;
            values += 4 * step;
        }
        if (count == 1) return add<1>(col_idx, values, step, s, lds);
        if (count == 2) return add<2>(col_idx, values, step, s, lds);
        if (count == 3) return add<3>(col_idx, values, step, s, lds);
    }

    /// Zeros if there is no such row.
    __device__ void load(bool is_row, const double* from) {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
            const Piece piece = *reinterpret_cast<const Piece*>(from + q * apart);
#pragma unroll
            for (int c = 0; c < Shape::width; ++c) value[q][c] = is_row ? piece.value[c] : 0;
        }
    }
    __device__ void store(bool is_row, double* to) const {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) store_if(is_row, to + q * apart, value[q][0], value[q][1]);
    }
    __device__ void stage(double* to) const {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
            *reinterpret_cast<Piece*>(to + q * apart) = {value[q][0], value[q][1]};
        }
    }
};

/// AS = A S as spmm_panel does it, and S' AS on the matrix units while the rows of both are at hand. Groups stride over
/// the rows, and their warps read the bounds of their next rows ahead.
template <class Shape, class Rows>
__global__ void __launch_bounds__(Group<Shape>::threads, 1)
    spmm_gram_kernel(Rows rows, Panels panels, double* curvature, ReductionScratch scratch) {
    extern __shared__ double shared[];
    begin_kernel();
    using Own = Group<Shape>;
    constexpr int k = Shape::columns;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size % Own::warps;
    const int group = static_cast<int>(threadIdx.x) / warp_size / Own::warps;
    const int team = lane / Shape::lanes;
    const int first_column = lane % Shape::lanes * Shape::width;
    double* const as_rows = shared + group * Own::doubles;
    double* const s_rows = as_rows + Own::rows * Own::width;
    const int own_place = (warp * Own::teams + team) * Own::width + first_column;
    // What the lane takes of its warp's tile: column g of S and of A S, in row t of every four.
    const int s_place = lane % 4 * Own::width + warp / Own::tiles * 8 + lane / 4;
    const int as_place = lane % 4 * Own::width + warp % Own::tiles * 8 + lane / 4;

    double sums[2] = {};
    const Size n_steps = (rows.size() + Own::rows - 1) / Own::rows;
    const Size stride = Size{gridDim.x} * Own::of_block;
    const auto next_rows = [&](Size step) {
        return NextRows<Rows>::template at<Own::teams>(rows, step * Own::rows + warp * Own::teams, team);
    };
    Size step = Size{blockIdx.x} * Own::of_block + group;
    auto next = next_rows(step);
    while (step < n_steps) {
        const auto now = next;
        step += stride;
        next = next_rows(step);
        RowPart<Shape> of_as, of_s;
        const bool is_row = now.row < rows.n_rows;
        const auto row = static_cast<unsigned>(is_row ? now.row : 0);
        of_as.add_all(rows.col_idx + now.entries.first, rows.values + now.entries.first, now.entries.count,
                      now.entries.step, panels.s + first_column, panels.lds);
        of_s.load(is_row, panels.s + std::size_t{row} * panels.lds + first_column);
        of_as.store(is_row, panels.as + std::size_t{row} * panels.ldas + first_column);
        of_as.stage(as_rows + own_place);
        of_s.stage(s_rows + own_place);
        Own::wait(group);
#pragma unroll
        for (int four = 0; four < Own::rows; four += 4) {
            multiply_8x8x4(sums, s_rows[s_place + four * Own::width], as_rows[as_place + four * Own::width]);
        }
        Own::wait(group);
    }

    __syncthreads();
    double* const of_group = shared + group * k * k;
    const int element = (warp / Own::tiles * 8 + lane / 4) * k + warp % Own::tiles * 8 + lane % 4 * 2;
    of_group[element] = sums[0];
    of_group[element + 1] = sums[1];
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < k * k; e += Own::threads) {
        double sum = 0;
        for (int other = 0; other < Own::of_block; ++other) sum += shared[other * k * k + e];
        scratch.partials[Size{blockIdx.x} * k * k + e] = sum;
    }
    const bool has_sums = add_up_blocks<Own::threads, k * k>(scratch, [&](int e, double sum) { curvature[e] = sum; });
    if (has_sums) all_sum(scratch.world, curvature, k, k, k);
}

template <class Shape, class Rows>
void launch_spmm_gram(Cuda& backend, const Rows& rows, const Panels& panels, double* curvature) {
    using Own = Group<Shape>;
    const int blocks = std::min(spmm_grid(rows.size(), Own::rows * Own::of_block), backend.device().multiprocessors);
    const auto kernel = spmm_gram_kernel<Shape, Rows>;
    allow_shared(backend, kernel, Own::bytes, "launching spmm_gram");
    launch_shared(backend, kernel, blocks, Own::threads, Own::bytes, "launching spmm_gram", rows, panels, curvature,
                  backend.reduction());
}

/// f(shape) with the shape that spmm_panel takes for k columns.
template <class F>
void with_fused_shape(Index k, F&& f) {
    with_exact_shape<double>(k, [&]<class Shape>(Shape shape) {
        if constexpr (Shape::columns % 8 == 0 && Shape::columns <= 32) f(shape);
    });
}

template <class Matrix>
void fused_pass(Cuda& backend, const Matrix& a, DeviceMatrix<const double> s, DeviceMatrix<double> as,
                DeviceMatrix<double> curvature) {
    const Index k = s.n_cols;
    const bool fits = a.n_rows == a.n_cols && s.n_rows == a.n_cols && as.n_rows == a.n_rows && as.n_cols == k &&
                      curvature.n_rows == k && curvature.n_cols == k && curvature.ld == k;
    constexpr Size most = std::numeric_limits<unsigned>::max();
    bool done = false;
    if (fits && fits_width<double>({.x = s.data, .ldx = s.ld, .y = as.data, .ldy = as.ld, .k = k}, 2) && s.ld <= most &&
        as.ld <= most) {
        const Panels panels{s.data, as.data, static_cast<unsigned>(s.ld), static_cast<unsigned>(as.ld)};
        with_rows(a, [&]<class Rows>(const Rows& rows) {
            if constexpr (Rows::has_panels) {
                with_fused_shape(k, [&]<class Shape>(Shape) {
                    launch_spmm_gram<Shape>(backend, rows, panels, curvature.data);
                    done = true;
                });
            }
        });
    }
    if (done) return;
    spmm(backend, a, s, as, 1.0, 0.0);
    gram<double>(backend, s, as, curvature);
}

/// Whether teams take rows one by one, as spmm_panel has it where rows are short or many and of similar lengths.
template <class Matrix>
bool takes_rows_one_by_one(const Cuda& backend, const Matrix& a, Index k) {
    if constexpr (requires { a.shares; }) {
        const Size teams = Size{2048} * backend.device().multiprocessors / std::max<Index>(1, k / 4);
        if (a.shares.has_split_rows) return false;
        return a.n_rows > teams || a.nnz() <= Size{12} * a.n_rows;
    } else {
        return true;
    }
}

template <class Matrix>
SpmmGramKernel<Cuda, Matrix> choose_pass(const Cuda& backend, const Matrix& a, Index k) {
    const bool has_path = k == 8 || k == 16 || k == 32;
    return has_path && takes_rows_one_by_one(backend, a, k) ? fused_pass<Matrix> : nullptr;
}

}  // namespace

}  // namespace cuda

SpmmGramKernel<Cuda, DeviceCsr<double>> fused_spmm_gram(const Cuda& backend, const DeviceCsr<double>& a, Index k) {
    return cuda::choose_pass(backend, a, k);
}
SpmmGramKernel<Cuda, DeviceSell<double>> fused_spmm_gram(const Cuda& backend, const DeviceSell<double>& a, Index k) {
    return a.slice_height == warp_size ? cuda::choose_pass(backend, a, k) : nullptr;
}

}  // namespace stiefel
