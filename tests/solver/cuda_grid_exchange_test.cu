#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/grid_exchange.cuh"
#include "stiefel/solver/cuda/posted_elements.cuh"

#include <gtest/gtest.h>

#include <algorithm>

namespace stiefel::test {
namespace {

constexpr int n_threads = 256;
constexpr unsigned urgent_every = 7;

/// Whole numbers in which both halves of a double change from round to round; sums over the grid are exact.
__device__ double letter_of(unsigned round, unsigned block) {
    const unsigned long long mixed = (round * 2654435761ull + block * 40503ull) % (1ull << 44);
    return static_cast<double>(mixed);
}

/// The k-th sum is of numbers by other threads, and k + 1 times as large.
template <int n>
__global__ void exchange_kernel(GridExchange exchange, unsigned rounds, unsigned long long* n_wrong) {
    __shared__ int n_meanwhile;
    for (unsigned round = 1; round <= rounds; ++round) {
        double sums[n];
        for (int k = 0; k < n; ++k) {
            sums[k] = threadIdx.x == (k * 37 + round) % n_threads ? (k + 1) * letter_of(round, blockIdx.x) : 0.0;
        }
        const bool urgent = round % urgent_every == 0;
        if (threadIdx.x == 0) n_meanwhile = 0;
        exchange.sum<false>(
            sums, round, urgent && blockIdx.x == 0,
            [&](const double(&all)[n], bool is_urgent) {
                double expected = 0;
                for (unsigned block = 0; block < gridDim.x; ++block) expected += letter_of(round, block);
                bool right = is_urgent == urgent && (n == 1 || n_meanwhile == n_threads - n * warp_size);
                for (int k = 0; k < n; ++k) right = right && all[k] == (k + 1) * expected;
                if (!right) atomicAdd(n_wrong, 1ull);
            },
            [&](int thread, int of) {
                if (thread >= 0 && thread < of) atomicAdd(&n_meanwhile, 1);
            });
    }
}

template <int n>
void check_sums() {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    Cuda backend;
    const int most = std::min(backend.device().multiprocessors, max_exchange_blocks);
    for (const int blocks : {1, 2, 33, most}) {
        DeviceVector<Letter> boxes(backend, GridExchange::n_boxes);
        backend.zero_bytes(boxes.data(), boxes.bytes());
        DeviceVector<unsigned long long> n_wrong(backend, 1);
        backend.zero_bytes(n_wrong.data(), n_wrong.bytes());
        GridExchange exchange{boxes.data()};
        unsigned rounds = 20000;
        unsigned long long* wrong = n_wrong.data();
        launch_together(backend, exchange_kernel<n>, std::min(blocks, most), n_threads, 0, "launching the test",
                        exchange, rounds, wrong);
        EXPECT_EQ(load(backend, n_wrong), 0u) << blocks << " blocks, " << n << " sums";
    }
}

/// No block ever adds up half of an old letter and half of a new one, and none misses one.
TEST(CudaGridExchange, EveryBlockHasTheSumsOfEveryRound) {
    check_sums<1>();
    check_sums<2>();
    check_sums<4>();
    check_sums<5>();
}

constexpr Index elements_of_block = 300, elements_heard = 1500;

/// In each turn every block posts elements of its own and hears some of all others, between two sums as in a loop.
template <class T, class Elements>
__global__ void elements_kernel(GridExchange exchange, Elements elements, unsigned turns, unsigned long long* n_wrong) {
    const Index all = elements_of_block * static_cast<Index>(gridDim.x);
    const auto place = [&](Index k) {
        return static_cast<Index>((k * 7919u + blockIdx.x * 104729u) % static_cast<unsigned>(all));
    };
    unsigned round = 0;
    for (unsigned turn = 0; turn < turns; ++turn) {
        ++round;
        for (auto k = static_cast<Index>(threadIdx.x); k < elements_of_block; k += n_threads) {
            const Index own = static_cast<Index>(blockIdx.x) * elements_of_block + k;
            elements.post(own, static_cast<T>(letter_of(round, static_cast<unsigned>(own))), round);
        }
        const unsigned posted_in = round;
        unsigned long long wrong = 0;
        double heard[1] = {};
        if constexpr (Elements::are_published) {
            exchange.sum<true>(heard, round++, false, [](const double(&)[1], bool) {});
            heard[0] = 0;
        }
        elements.hear(static_cast<int>(threadIdx.x), n_threads, posted_in, elements_heard, place,
                      [&](Index k, auto value) {
                          const double expected = letter_of(posted_in, static_cast<unsigned>(place(k)));
                          wrong += static_cast<T>(value) != static_cast<T>(expected) ? 1 : 0;
                          ++heard[0];
                      });
        exchange.sum<false>(heard, round, false, [&](const double(&total)[1], bool) {
            wrong += total[0] != static_cast<double>(elements_heard) * gridDim.x ? 1 : 0;
        });
        if (wrong > 0) atomicAdd(n_wrong, wrong);
    }
}

template <class T, class Elements>
void check_elements() {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    Cuda backend;
    const int most = std::min(backend.device().multiprocessors, max_exchange_blocks);
    for (const int blocks : {1, 2, 33, most}) {
        const int started = std::min(blocks, most);
        DeviceVector<Letter> letters(backend, GridExchange::n_boxes + Size{elements_of_block} * started);
        backend.zero_bytes(letters.data(), letters.bytes());
        DeviceVector<unsigned long long> n_wrong(backend, 1);
        backend.zero_bytes(n_wrong.data(), n_wrong.bytes());
        GridExchange exchange{letters.data()};
        void* const room = letters.data() + GridExchange::n_boxes;
        Elements elements{static_cast<decltype(Elements::posted)>(room)};
        unsigned turns = 5000;
        unsigned long long* wrong = n_wrong.data();
        launch_together(backend, elements_kernel<T, Elements>, started, n_threads, 0, "launching the test", exchange,
                        elements, turns, wrong);
        EXPECT_EQ(load(backend, n_wrong), 0u) << blocks << " blocks";
    }
}

/// An element that is heard is that of the round, whole, and each is heard once, by whoever needs it.
TEST(CudaGridExchange, SealedElementsOfOtherBlocksAreThoseOfTheRound) {
    check_elements<double, SealedElements>();
    check_elements<float, SealedElements>();
}

TEST(CudaGridExchange, PlainElementsOfOtherBlocksAreThoseOfTheRound) {
    check_elements<double, PlainElements<double>>();
    check_elements<float, PlainElements<float>>();
}

}  // namespace
}  // namespace stiefel::test
