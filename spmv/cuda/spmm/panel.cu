#include "stiefel/spmv/cuda/spmm/panel.cuh"

namespace stiefel::cuda {

namespace {

constexpr int threads = 256;

/// Rows longer than this are taken by all of a block together.
constexpr Index long_row = 512;

/// The rows of a block: those that begin in equal shares of the nonzeros.
struct RowsByShares {
    const Index* first_row;
    Index n_shares;
    Index shares_per_block;

    __device__ Size begin() const { return first_row[min(Size{blockIdx.x} * shares_per_block, Size{n_shares})]; }
    __device__ Size end() const { return first_row[min((Size{blockIdx.x} + 1) * shares_per_block, Size{n_shares})]; }
};

/// The rows of a block: equally many, where the format makes all rows of about a length.
struct RowsByNumber {
    Size n_places;
    Index rows_per_block;

    __device__ Size begin() const { return min(Size{blockIdx.x} * rows_per_block, n_places); }
    __device__ Size end() const { return min((Size{blockIdx.x} + 1) * rows_per_block, n_places); }
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
    const int first_column = static_cast<int>(threadIdx.x) % Shape::lanes * Shape::width;
    using OnePiece = PanelShape<Shape::lanes, Shape::width, 1, Shape::exact>;
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
                sums.template add<4>(rows.col_idx + at, rows.values + at, count, entries.step, s.x + column, s.ldx);
            }
#pragma unroll
            for (int c = 0; c < Shape::width; ++c) {
                T& sum = sums.value[0][c];
                for (int step = Shape::lanes; step < warp_size; step *= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
                if (threadIdx.x % warp_size < Shape::lanes) parts[warp][first_column + c] = sum;
            }
            __syncthreads();
            if (team == 0 && column < s.k) {
                for (int other = 1; other < warps; ++other) {
#pragma unroll
                    for (int c = 0; c < Shape::width; ++c) sums.value[0][c] += parts[other][first_column + c];
                }
                sums.store(s.y + std::size_t{static_cast<unsigned>(row)} * s.ldy + column, s.alpha, s.beta);
            }
            __syncthreads();
        }
    }
}

/// The teams of a block take its rows in turn, side by side: the columns of rows beside each other mostly lie beside
/// each other too, so that a warp reads whole cache lines of X.
template <class Shape, class Range, class Rows, class T>
__global__ void __launch_bounds__(threads, 4) panel_kernel(Range range, Rows rows, PanelArguments<T> s) {
    begin_kernel();
    constexpr int teams = threads / Shape::lanes;
    const int team = static_cast<int>(threadIdx.x) / Shape::lanes;
    const int first_column = static_cast<int>(threadIdx.x) % Shape::lanes * Shape::width;
    bool has_long_rows = false;
    const Size end = range.end();
    const Size begin = range.begin();
    for (Size place = begin + team; place < end; place += teams) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const auto entries = rows.entries(place);
        if (entries.count > long_row) {
            has_long_rows = true;
            continue;
        }
        for (Index column = first_column; column < s.k; column += Shape::columns) {
            RowSums<T, Shape> sums;
            sums.template add<4>(rows.col_idx + entries.first, rows.values + entries.first, entries.count, entries.step,
                                 s.x + column, s.ldx);
            sums.store(s.y + std::size_t{static_cast<unsigned>(row)} * s.ldy + column, s.alpha, s.beta);
            if constexpr (Shape::exact) break;
        }
    }
    if (__syncthreads_or(has_long_rows)) add_long_rows<Shape>(rows, s, begin, end);
}

template <class Range>
struct BlocksOf {
    Range range;
    int count;
};

/// Blocks of equally many nonzeros: enough of them to keep all multiprocessors busy to the end, and no more than that
/// needs.
template <class T>
BlocksOf<RowsByShares> blocks_of(const Cuda& backend, const DeviceCsr<T>& a, int) {
    constexpr Size most_shares = 4;
    constexpr Size blocks_per_multiprocessor = 32;
    const CsrShares& shares = a.shares;
    const Size wanted = shares.n_shares / (blocks_per_multiprocessor * backend.device().multiprocessors);
    const auto each = static_cast<Index>(std::clamp<Size>(wanted, 1, most_shares));
    return {{shares.first_row.data(), shares.n_shares, each}, spmm_grid(shares.n_shares, each)};
}

template <class Matrix>
BlocksOf<RowsByNumber> blocks_of(const Cuda&, const Matrix& a, int teams) {
    Size n_places = a.n_rows;
    if constexpr (requires { a.n_slots(); }) n_places = a.n_slots();
    return {{n_places, 2 * teams}, spmm_grid(n_places, 2 * teams)};
}

}  // namespace

template <class Matrix>
void spmm_panel(Cuda& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    using T = typename Matrix::value_type;
    const bool done = with_panel(s, [&]<class Shape>(Shape, const PanelArguments<T>& panel) {
        const auto blocks = blocks_of(backend, a, threads / Shape::lanes);
        with_rows(a, [&]<class Rows>(const Rows& rows) {
            launch(backend, panel_kernel<Shape, std::remove_const_t<decltype(blocks.range)>, Rows, T>, blocks.count,
                   threads, "launching spmm_panel", blocks.range, rows, panel);
        });
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
