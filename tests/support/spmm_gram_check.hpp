#pragma once

#include "support/spmm_reference.hpp"

#include "stiefel/solver/spmm_gram.hpp"

#include <limits>

namespace stiefel::test {

/// Numbers of columns: those with code paths of their own, and neighbours.
inline constexpr Index spmm_gram_columns[] = {1, 2, 3, 4, 5, 8, 12, 16, 17, 32, 64};

/// f(matrix) for the square matrices that a product with its Gram matrix must get right.
template <class T, class F>
void for_each_spmm_gram_matrix(F&& f) {
    for (const Index n : {0, 1, 31, 32, 33}) f(random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2}));
    f(random_csr<T>({.n_rows = 1000, .n_cols = 1000, .full_row = 77, .seed = 2}));
}

/// Whether `gram` is S' AS for the S of `reference` and this A S, both n x k: summed in double, in any order.
template <class T>
::testing::AssertionResult is_gram(const SpmmReference<T>& reference, const HostVector<T>& as,
                                   const HostVector<double>& gram) {
    const Index k = reference.what().k;
    const auto& s = reference.x();
    for (Size i = 0; i < k; ++i) {
        for (Size j = 0; j < k; ++j) {
            long double exact = 0, absolute = 0;
            for (Size row = 0; row < s.n_rows; ++row) {
                const long double term = static_cast<long double>(s(row, i)) * as[row * reference.y().ld + j];
                exact += term;
                absolute += std::abs(term);
            }
            const auto close = within(gram[i * k + j], exact, sum_bound<double>(s.n_rows, absolute));
            if (!close) return ::testing::AssertionFailure() << "G(" << i << ", " << j << "): " << close.message();
        }
    }
    return ::testing::AssertionSuccess();
}

/// spmm_gram() with panels of every width against the reference; `to_memory` and `to_host` bring vectors to the backend
/// and back, whatever their type.
template <class B, class T, class A, class To, class From>
void expect_spmm_gram(B& backend, const HostCsr<T>& host, const A& a, To&& to_memory, From&& to_host) {
    int turn = 0;
    for (const Index k : spmm_gram_columns) {
        const Size padding = turn++ % 3 == 2 ? 8 : 0;
        const SpmmReference<T> reference(host, {.k = k, .padding = padding});
        const auto s = to_memory(reference.x().values);
        auto as = to_memory(reference.y().values);  // all NaN
        auto gram = to_memory(HostVector<double>(Size{k} * k, std::numeric_limits<double>::quiet_NaN()));
        const MatrixOf<B, const T> s_view{s.data(), host.n_rows, k, reference.x().ld};
        const MatrixOf<B, T> as_view{as.data(), host.n_rows, k, reference.y().ld};
        std::size_t laps = 0;
        spmm_gram(backend, a, s_view, as_view, as_matrix(gram, k, k), [&] { ++laps; });
        const HostVector<T> product = to_host(as);
        const bool fused = fuses_spmm_gram(backend, a, k);
        SCOPED_TRACE("n " + std::to_string(host.n_rows) + ", k " + std::to_string(k) + (fused ? ", fused" : ""));
        EXPECT_TRUE(reference.accepts(product));
        EXPECT_TRUE(is_gram(reference, product, to_host(gram)));
        EXPECT_EQ(laps, spmm_gram_laps<T>(backend, a, host.n_rows, k).size());
        EXPECT_EQ(laps, fused ? 1u : 2u);
    }
}

/// Panels that do not fit are refused, fused or not.
template <class B, class T, class A, class To>
void expect_spmm_gram_refuses(B& backend, const A& a, Index n, To&& to_memory) {
    constexpr Index k = 8;
    const auto s = to_memory(HostVector<T>(Size{n + 1} * k, T{1}));
    auto as = to_memory(HostVector<T>(Size{n + 1} * k, T{0}));
    auto gram = to_memory(HostVector<double>(Size{k} * k, 0.0));
    const auto refuses = [&](Index s_rows, Index as_rows, Index s_columns, Index gram_columns) {
        const MatrixOf<B, const T> s_view{s.data(), s_rows, s_columns, k};
        const MatrixOf<B, T> as_view{as.data(), as_rows, k, k};
        EXPECT_THROW(spmm_gram(backend, a, s_view, as_view, as_matrix(gram, k, gram_columns)), InvalidArgument)
            << s_rows << " " << as_rows << " " << s_columns << " " << gram_columns;
    };
    refuses(n + 1, n, k, k);
    refuses(n, n + 1, k, k);
    refuses(n, n, k - 1, k);
    refuses(n, n, k, k - 1);
}

}  // namespace stiefel::test
