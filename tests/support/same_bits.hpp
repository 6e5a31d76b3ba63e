#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace stiefel::test {

/// Fails unless make(backend, a), a preconditioner, gives the same bits on one thread and on more: of a system that is
/// large enough to be shared, for a panel of three columns.
template <class Make>
void expect_same_bits_on_threads(Make&& make) {
    OpenMP maker(1);
    const auto a = poisson3d<double>(maker, 30, 30, 30);
    const HostVector<double> r = random_vector<double>(Size{a.n_rows} * 3, 3);
    const auto applied = [&](int threads) {
        OpenMP backend(threads);
        const auto m = make(backend, a);
        HostVector<double> z(r.size());
        precondition(backend, m, {r.data(), a.n_rows, 3, 3}, {z.data(), a.n_rows, 3, 3});
        return z;
    };
    const HostVector<double> expected = applied(1);
    for (const int threads : {2, 4}) {
        const HostVector<double> z = applied(threads);
        EXPECT_EQ(std::memcmp(z.data(), expected.data(), static_cast<std::size_t>(z.bytes())), 0) << threads;
    }
}

}  // namespace stiefel::test
