#pragma once

#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/world/ranks.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace stiefel::test {

/// What ranks that are threads of one process have in common.
struct RankThreads {
    explicit RankThreads(int n)
        : numbers(static_cast<std::size_t>(n)), out(numbers.size()), parts(numbers.size()), barrier(n) {}

    std::vector<std::vector<double>> numbers;     // of each rank
    std::vector<std::vector<Ranks::Bytes>> out;   // of each rank, to each rank
    std::vector<std::vector<Ranks::Part>> parts;  // of each rank
    std::barrier<> barrier;
};

/// Ranks that are threads: an exchange reads the memory of others when it ends, so what is changed before comes out
/// wrong.
class ThreadRanks : public Ranks {
public:
    ThreadRanks(RankThreads& shared, int rank) : shared_(shared), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(shared_.numbers.size()); }

    void all_sum(double* sums, Size n) override {
        combine(sums, n, [](double a, double b) { return a + b; });
    }
    void all_max(double* maxima, Size n) override { combine(maxima, n, larger_or_nan); }

    std::vector<Bytes> all_to_all(const std::vector<Bytes>& out) override {
        shared_.out[at(rank_)] = out;
        shared_.barrier.arrive_and_wait();
        std::vector<Bytes> in;
        for (int r = 0; r < size(); ++r) in.push_back(shared_.out[at(r)][at(rank_)]);
        shared_.barrier.arrive_and_wait();
        return in;
    }

    void begin(std::span<const Part> out, std::span<const Part> in) override {
        shared_.parts[at(rank_)].assign(out.begin(), out.end());
        in_.assign(in.begin(), in.end());
    }
    void end() override {
        shared_.barrier.arrive_and_wait();
        for (const Part& wanted : in_) {
            for (const Part& sent : shared_.parts[at(wanted.rank)]) {
                if (sent.rank != rank_) continue;
                EXPECT_EQ(sent.bytes, wanted.bytes);
                std::memcpy(wanted.data, sent.data, static_cast<std::size_t>(wanted.bytes));
            }
        }
        shared_.barrier.arrive_and_wait();
    }

private:
    static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

    template <class F>
    void combine(double* values, Size n, F&& two) {
        shared_.numbers[at(rank_)].assign(values, values + n);
        shared_.barrier.arrive_and_wait();
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
            values[i] = 0;
            for (const auto& of_rank : shared_.numbers) values[i] = two(values[i], of_rank[i]);
        }
        shared_.barrier.arrive_and_wait();
    }

    RankThreads& shared_;
    int rank_;
    std::vector<Part> in_;
};

/// body(ranks) in so many threads at once.
inline void in_threads(int n_ranks, const std::function<void(Ranks&)>& body) {
    RankThreads shared(n_ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < n_ranks; ++rank) {
        threads.emplace_back([&shared, &body, rank] {
            ThreadRanks ranks(shared, rank);
            body(ranks);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace stiefel::test
