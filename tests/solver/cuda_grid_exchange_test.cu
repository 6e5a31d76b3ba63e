#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/grid_exchange.cuh"

#include <gtest/gtest.h>

#include <algorithm>

namespace stiefel::test {
namespace {

constexpr int n_threads = 128;
constexpr unsigned urgent_every = 7;

/// Whole numbers in which both halves of a double change from round to round; sums over the grid are exact.
__device__ double letter_of(unsigned round, unsigned block) {
    const unsigned long long mixed = (round * 2654435761ull + block * 40503ull) % (1ull << 44);
    return static_cast<double>(mixed);
}

__global__ void exchange_kernel(GridExchange exchange, unsigned rounds, unsigned long long* n_wrong) {
    for (unsigned round = 1; round <= rounds; ++round) {
        const bool posts = threadIdx.x == n_threads / 2;
        double sums[2] = {posts ? letter_of(round, blockIdx.x) : 0.0, posts ? -1.0 * round : 0.0};
        const bool urgent = round % urgent_every == 0;
        exchange.sum(sums, round, false, urgent && blockIdx.x == 0, [&](const double(&all)[2], bool is_urgent) {
            double expected = 0;
            for (unsigned block = 0; block < gridDim.x; ++block) expected += letter_of(round, block);
            const bool right = all[0] == expected && all[1] == -1.0 * round * gridDim.x && is_urgent == urgent;
            if (!right) atomicAdd(n_wrong, 1ull);
        });
    }
}

/// No block ever adds up half of an old letter and half of a new one, and none misses one.
TEST(CudaGridExchange, EveryBlockHasTheSumOfEveryRound) {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    Cuda backend;
    const int most = std::min(backend.device().multiprocessors, max_exchange_blocks);
    for (const int blocks : {2, 33, most}) {
        DeviceVector<Letter> boxes(backend, GridExchange::n_boxes);
        backend.zero_bytes(boxes.data(), boxes.bytes());
        DeviceVector<unsigned long long> n_wrong(backend, 1);
        backend.zero_bytes(n_wrong.data(), n_wrong.bytes());
        GridExchange exchange{boxes.data()};
        unsigned rounds = 20000;
        unsigned long long* wrong = n_wrong.data();
        launch_together(backend, exchange_kernel, std::min(blocks, most), n_threads, 0, "launching the test", exchange,
                        rounds, wrong);
        EXPECT_EQ(load(backend, n_wrong), 0u) << blocks << " blocks";
    }
}

}  // namespace
}  // namespace stiefel::test
