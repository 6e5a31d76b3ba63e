#include "stiefel/core/cuda/cluster.cuh"
#include "stiefel/spmv/cuda/spmm/row_teams.cuh"

namespace stiefel::cuda {

namespace {

/// Blocks take the rows that begin in equal shares of the nonzeros.
struct BlockShares {
    const Index* first_row;  ///< of each share
    Index n_shares;
    Index per_block;

    __device__ Index bound(Size block) const { return first_row[min(block * per_block, Size{n_shares})]; }
};

constexpr int most_long_rows = 64;

/// The longest row that a block multiplies without the help of others: with 8 columns in double, eight rounds.
constexpr Index longest_block_row = 8 * team_batch * most_team_threads / 4;

/// Rows that threads of a block leave to more than themselves.
struct RowList {
    int n;
    Index row[most_long_rows];

    __device__ void add(Index r) { row[atomicAdd(&n, 1)] = r; }
};

/// A row for all teams of a block or, `by_cluster`, of all blocks of a cluster, of which this is one: their sums are
/// added up over the warps of a block, then over the blocks, in the order of their numbers.
template <bool by_cluster, class Shape, class Rows, class T>
__device__ void multiply_long_row(const Rows& rows, const PanelArguments<T>& s, Index row) {
    constexpr int tile = Shape::columns;
    constexpr int warps = most_team_threads / warp_size;
    constexpr int teams_a_block = most_team_threads / Shape::lanes;
    __shared__ T of_warp[warps][tile];
    __shared__ T of_block[tile];
    const int rank = by_cluster ? BlockCluster::rank() : 0;
    const int blocks = by_cluster ? BlockCluster::size() : 1;
    const int team = static_cast<int>(threadIdx.x / Shape::lanes);
    const TeamEntries<T, int> from(rows, rows.entries(row), rank * teams_a_block + team, blocks * teams_a_block);
    const PieceColumns<T, Shape> pieces(true);
    const Index column = pieces.first[0];
    for (Index first = 0; first < s.k; first += tile) {
        const bool inside = Shape::exact || first + column < s.k;
        RowSums<T, Shape> sums;
        if (inside) sums = team_sums<Shape>(EntryBatch<T>(from), from, s.x + first + column, s.x_step);
        sums.template add_teams<warp_size>();
        if (threadIdx.x % warp_size < Shape::lanes) {
#pragma unroll
            for (int c = 0; c < Shape::width; ++c) of_warp[threadIdx.x / warp_size][column + c] = sums.value[0][c];
        }
        __syncthreads();
        if (threadIdx.x < tile) {
            T sum = 0;
            for (int warp = 0; warp < warps; ++warp) sum += of_warp[warp][threadIdx.x];
            of_block[threadIdx.x] = sum;
        }
        by_cluster ? BlockCluster::synchronize() : __syncthreads();
        if (rank == 0 && team == 0 && inside) {
            sums = {};
            for (int other = 0; other < blocks; ++other) {
                const T* const part = by_cluster ? BlockCluster::of_rank(of_block, other) : of_block;
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) sums.value[0][c] += part[column + c];
            }
            sums.store(row_at(s.y, static_cast<unsigned>(row), s.y_step) + first, s, pieces);
        }
        if constexpr (by_cluster) BlockCluster::synchronize();
    }
}

/// Rows too long for their threads are listed, and multiplied when the others are done: by a warp, by the block, or by
/// all blocks of a cluster together.
template <class Shape, int per_row, class Rows, class T>
__global__ void __launch_bounds__(most_team_threads, 3)
    row_shares_kernel(BlockShares shares, Rows rows, PanelArguments<T> s) {
    begin_kernel();
    __shared__ RowList for_warps;
    __shared__ RowList for_block;
    __shared__ RowList for_cluster;
    if (threadIdx.x == 0) for_warps.n = for_block.n = for_cluster.n = 0;
    __syncthreads();
    const PieceColumns<T, Shape> pieces(true);
    const Index end = shares.bound(Size{blockIdx.x} + 1);
    const bool is_alone = BlockCluster::size() == 1;
    const auto list_for = [&](Index count) -> RowList& {
        if (count <= longest_team_row(warp_size)) return for_warps;
        return is_alone || count <= longest_block_row ? for_block : for_cluster;
    };
    // A warp stays together: its teams add up their sums by shuffles.
    for (Index row = shares.bound(blockIdx.x) + static_cast<Index>(threadIdx.x / per_row);
         __any_sync(all_lanes, row < end); row += most_team_threads / per_row) {
        DeviceEntries<StepOne> of_row = row < end ? rows.entries(row) : DeviceEntries<StepOne>{};
        const bool is_long = of_row.count > longest_team_row(per_row);
        if (is_long) {
            if (threadIdx.x % per_row == 0) list_for(of_row.count).add(row);
            of_row.count = 0;
        }
        constexpr std::integral_constant<int, per_row / Shape::lanes> teams;
        const TeamEntries from(rows, of_row, static_cast<int>(threadIdx.x % per_row / Shape::lanes), teams);
        multiply_row<per_row>(EntryBatch<T>(from), from, row < end && !is_long, row, s, pieces);
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x / warp_size); i < for_warps.n; i += most_team_threads / warp_size) {
        constexpr std::integral_constant<int, warp_size / Shape::lanes> teams;
        const TeamEntries from(rows, rows.entries(for_warps.row[i]),
                               static_cast<int>(threadIdx.x % warp_size / Shape::lanes), teams);
        multiply_row<warp_size>(EntryBatch<T>(from), from, true, for_warps.row[i], s, pieces);
    }
    for (int i = 0; i < for_block.n; ++i) multiply_long_row<false, Shape>(rows, s, for_block.row[i]);
    if (is_alone) return;
    BlockCluster::synchronize();
    for (int rank = 0; rank < BlockCluster::size(); ++rank) {
        const RowList& list = *BlockCluster::of_rank(&for_cluster, rank);
        const int n = list.n;
        for (int i = 0; i < n; ++i) multiply_long_row<true, Shape>(rows, s, list.row[i]);
    }
    BlockCluster::synchronize();  // no block leaves while others read its list
}

template <class Shape, int per_row, class Rows, class T>
void launch_row_shares(Cuda& backend, const Rows& rows, Size nnz, const CsrShares& shares,
                       const PanelArguments<T>& panel) {
    // As many shares as give every team a few rows in the mean, while there are blocks for all multiprocessors; and no
    // more than there is room for their long rows.
    const int multiprocessors = backend.device().multiprocessors;
    constexpr Size rows_a_team = 4;
    constexpr Size rows_a_round = most_team_threads / per_row;
    constexpr Size most = Size{most_long_rows - 1} * longest_team_row(per_row) / CsrShares::nonzeros;
    const Size of_a_round = rows_a_round * shares.n_shares / std::max(rows.n_rows, 1);
    const Size of_a_block =
        std::clamp<Size>(shares.n_shares / (8 * multiprocessors), of_a_round, rows_a_team * of_a_round);
    const auto per_block = static_cast<Index>(std::clamp<Size>(of_a_block, 1, most));
    // Blocks wait for each other in a cluster; that pays for a row that takes one block longer than all else.
    constexpr int most_blocks = 8;
    const bool is_worth_it = shares.longest_row > std::max<Size>(longest_block_row, nnz / multiprocessors);
    const int cluster = is_worth_it && backend.device().major >= 9 ? most_blocks : 1;
    const int blocks = (spmm_grid(shares.n_shares, per_block) + cluster - 1) / cluster * cluster;
    launch_as(backend, row_shares_kernel<Shape, per_row, Rows, T>,
              {.blocks = blocks, .threads = most_team_threads, .cluster = cluster}, "launching spmm_row_shares",
              BlockShares{shares.first_row.data(), shares.n_shares, per_block}, rows, panel);
}

}  // namespace

template <class T>
void spmm_row_shares(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    const bool done = with_panel(backend, a.n_rows, s, [&]<class Given>(Given, const PanelArguments<T>& panel) {
        using Shape = TeamShape<Given>;
        const Size usual = 2 * a.nnz() / std::max(a.n_rows, 1);
        const int threads = threads_a_row(backend, a.n_rows, a.nnz(), usual, Shape::lanes);
        with_rows(a, [&](const auto& rows) {
            with_threads_a_row<Shape::lanes>(threads, [&](auto per_row) {
                launch_row_shares<Shape, per_row()>(backend, rows, a.nnz(), a.shares, panel);
            });
        });
    });
    if (!done) spmm_element_bounds(backend, a, s);
}

template void spmm_row_shares(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_row_shares(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
