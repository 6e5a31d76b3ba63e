#pragma once

#include "support/brought.hpp"
#include "support/matrices.hpp"

#include "stiefel/preconditioner/list.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <variant>
#include <vector>

namespace stiefel::test {

/// M r for a panel of these columns, from a set-up of its own, applied twice; fails where the second time gives other
/// bits.
template <class B, class T>
HostVector<T> applied_twice(B& backend, const PreconditionerEntry<B, T>& entry, const HostCsr<T>& host,
                            const HostVector<T>& r, Index k) {
    auto csr = brought(backend, host);
    const auto& kernel = spmv_kernels(backend, csr).back();
    const SpmvOperator<B, T> a(std::move(csr), kernel);
    const auto chosen = entry.prepare(backend, brought(backend, host))(backend, a, k);
    const auto r_here = brought(backend, r);
    const auto apply = [&] {
        auto z = brought(backend, HostVector<T>(r.size(), std::numeric_limits<T>::quiet_NaN()));
        const MatrixOf<B, const T> from{r_here.data(), host.n_rows, k, k};
        const MatrixOf<B, T> to{z.data(), host.n_rows, k, k};
        std::visit([&](const auto& m) { precondition(backend, m, from, to); }, chosen);
        HostVector<T> back(r.size());
        download(backend, z, back);
        return back;
    };
    HostVector<T> z = apply();
    EXPECT_TRUE(bit_equal(apply(), z)) << "applied again";
    return z;
}

/// Every listed preconditioner gives the same bits whenever it is set up and applied: on each of these backends, which
/// are as many objects, the same. The system is large enough to be shared by threads.
template <class B, class T>
void expect_same_bits_of_every_one(std::vector<B>& backends) {
    OpenMP maker(1);
    const HostCsr<T> a = jump_diffusion3d<T>(maker, 17, 16, 15, {.contrast = 100});
    for (const auto& entry : preconditioners<B, T>) {
        SCOPED_TRACE(entry.name);
        for (const Index k : {1, 3}) {
            SCOPED_TRACE(k);
            const HostVector<T> r = random_vector<T>(Size{a.n_rows} * k, 3);
            const HostVector<T> expected = applied_twice(backends.front(), entry, a, r, k);
            for (std::size_t i = 0; i < backends.size(); ++i) {
                EXPECT_TRUE(bit_equal(applied_twice(backends[i], entry, a, r, k), expected)) << "backend " << i;
            }
        }
    }
}

}  // namespace stiefel::test
