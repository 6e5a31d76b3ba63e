#include "stiefel/dense/cuda/gemm_operands.hpp"
#include "stiefel/dense/cuda/gemm_rungs.hpp"
#include "stiefel/dense/cuda/gemm_tiles.cuh"
#include "stiefel/dense/cuda/tf32_tiles.hpp"
#include "stiefel/dense/cuda/warpgroup.cuh"

namespace stiefel::cuda {

namespace {

/// A block computes 128 x 256: two warpgroups 64 x 256 each, from shared memory that one more warp fills. Two blocks,
/// one below the other, share their columns of B: each copies half of them, for both.
constexpr int BM = Tf32Tiles::lines;
constexpr int BN = 2 * Tf32Tiles::lines;
constexpr int pair = 2;
constexpr int stages = 4;
constexpr int stage_bytes = 3 * Tf32Tiles::bytes;
constexpr int consumer_warps = 8;
constexpr int threads = (consumer_warps + 1) * 32;
constexpr int alignment = 1024;
constexpr int shared_bytes = stages * stage_bytes + alignment;

/// Tiles on their way, in turn: `full` once a stage's bytes are there, `empty` once every warp of both blocks is
/// through.
struct Pipeline {
    Barrier full[stages];
    Barrier empty[stages];
    char* tiles;

    __device__ char* a(int stage) const { return tiles + stage * stage_bytes; }
    __device__ char* b(int stage) const { return a(stage) + Tf32Tiles::bytes; }
};

/// One thread keeps the stages filled: the block's rows of A for itself, its half of the columns of B for both blocks.
__device__ void produce(Pipeline& pipeline, const char* a, const char* b, int steps, unsigned rank) {
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        if (step >= stages) pipeline.empty[stage].wait((step / stages - 1) & 1);
        Barrier& full = pipeline.full[stage];
        full.arrive_and_expect(stage_bytes);
        copy_bulk(pipeline.a(stage), a + Size{step} * Tf32Tiles::bytes, Tf32Tiles::bytes, full);
        copy_bulk_to((1 << pair) - 1, pipeline.b(stage) + rank * Tf32Tiles::bytes, b + Size{step} * Tf32Tiles::bytes,
                     Tf32Tiles::bytes, full);
    }
}

/// A warpgroup's rows. A stage is given back one step late, so that a group of products is always under way.
__device__ void consume(Pipeline& pipeline, int warpgroup, int steps, float (&sum)[128]) {
    const unsigned lane = threadIdx.x % 32;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        pipeline.full[stage].wait((step / stages) & 1);
        const std::uint64_t a = swizzled_operand(pipeline.a(stage) + warpgroup * (Tf32Tiles::bytes / 2));
        const std::uint64_t b = swizzled_operand(pipeline.b(stage));
        begin_products();
#pragma unroll
        for (int eighth = 0; eighth < Tf32Tiles::depth / 8; ++eighth) {
            multiply_64x256x8(sum, a + 2 * eighth, b + 2 * eighth);
        }
        commit_products();
        wait_products<1>();
        if (step > 0 && lane < pair) pipeline.empty[(step - 1) % stages].arrive_at(lane);
    }
    wait_products<0>();
    settle(sum);
}

__global__ __cluster_dims__(pair, 1, 1)
    __launch_bounds__(threads, 1) void warpgroup_kernel(GemmTask<float> g, int tile_rows, int tile_cols, int steps) {
    extern __shared__ Chunk<char> shared[];
    __shared__ Pipeline pipeline;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (threadIdx.x == 0) {
        const unsigned past = shared_address(shared) % alignment;
        pipeline.tiles = reinterpret_cast<char*>(shared) + (past == 0 ? 0 : alignment - past);
        for (int stage = 0; stage < stages; ++stage) {
            pipeline.full[stage].init(1);
            pipeline.empty[stage].init(pair * consumer_warps);
        }
        publish_barriers();
    }
    synchronize_cluster();

    const TilePlace tile(tile_rows, tile_cols);
    if (warp == consumer_warps) {
        if (lane == 0) {
            const unsigned rank = cluster_rank();
            const Size tile_floats = Tf32Tiles::lines * Tf32Tiles::depth;
            const float* const a = g.a + Size{tile.row} * steps * tile_floats;
            const float* const b = g.b + (Size{2} * tile.col + rank) * steps * tile_floats;
            produce(pipeline, reinterpret_cast<const char*>(a), reinterpret_cast<const char*>(b), steps, rank);
        }
        __syncwarp();
    } else {
        float sum[128] = {};
        consume(pipeline, warp / 4, steps, sum);
        const int row = tile.row * BM + warp * 16 + lane / 4;
        const int col = tile.col * BN + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < BN / 8; ++j) {
            store_run<2>(g, row, col + 8 * j, Run<float, 2>{sum[4 * j], sum[4 * j + 1]});
            store_run<2>(g, row + 8, col + 8 * j, Run<float, 2>{sum[4 * j + 2], sum[4 * j + 3]});
        }
    }
    synchronize_cluster();  // the other block may still copy into this one's memory
}

}  // namespace

void gemm_warpgroup(Cuda& backend, const GemmArguments<float>& g, const GemmTuning&) {
    if (g.m == 0 || g.n == 0) return;
    const Tf32Tiles a(backend, g.a.data, g.a.row_stride, g.a.col_stride, g.m, g.k, pair);
    const Tf32Tiles b(backend, g.b.data, g.b.col_stride, g.b.row_stride, g.n, g.k, BN / Tf32Tiles::lines);
    GemmTask<float> task = gemm_task(g);
    task.a = a.data();
    task.b = b.data();
    const int tile_cols = b.across() / 2;
    constexpr const char* doing = "multiplying matrices by warpgroups";
    allow_shared(backend, warpgroup_kernel, shared_bytes, doing);
    warpgroup_kernel<<<static_cast<unsigned>(a.across() * tile_cols), threads, shared_bytes, backend.stream()>>>(
        task, a.across(), tile_cols, a.along());
    check_cuda(cudaGetLastError(), doing);
}

}  // namespace stiefel::cuda
