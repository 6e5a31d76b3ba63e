#include "stiefel/solver/block_cg_kernels.hpp"

#include "stiefel/solver/block_cg_storage.hpp"
#include "support/backends.hpp"
#include "support/gemm_reference.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <cstring>

namespace stiefel::test {
namespace {

/// Operands of the panel kernels, random, with NaN where nobody may look.
template <class T>
struct Operands {
    Index n, k;
    PaddedMatrix<T> as, w, s, x;
    HostVector<T> inverse_diagonal;
    HostVector<double> doubles;

    Operands(Index rows, Index columns, Size padding)
        : n(rows),
          k(columns),
          as(n, k, padding, 1),
          w(n, k, 2 * padding, 2),
          s(n, k, 3 * padding, 3),
          x(n, k, padding, 4),
          inverse_diagonal(n),
          doubles(random_vector<double>(BlockCgMatrices::doubles(k), 5)) {
        for (Index i = 0; i < n; ++i) inverse_diagonal[i] = static_cast<T>(0.25 + (i % 13) * 0.25);
    }
};

template <class B>
BlockCgMatrices small_matrices(BlockCgStorage<B>& storage, const HostVector<double>& doubles) {
    std::copy(doubles.begin(), doubles.end(), storage.doubles().begin());
    return storage.matrices(true);
}

/// first(i) B1 + second(i) B2 for rows of panels, in extended precision, with the bound of its rounding.
struct Product {
    long double exact = 0;
    long double absolute = 0;

    template <class T>
    void add(long double factor, const PaddedMatrix<T>& panel, Size row, const double* b, Index k, Size column,
             bool transposed = false) {
        for (Size i = 0; i < k; ++i) {
            const long double term = factor * panel(row, i) * b[transposed ? column * k + i : i * k + column];
            exact += term;
            absolute += std::abs(term);
        }
    }
    template <class T>
    long double bound(Index k) const {
        return sum_bound<double>(2 * k + 4, absolute) + std::numeric_limits<T>::epsilon() * std::abs(exact);
    }
};

/// Whether column j of row i of `found`, stored like `like`, is product(i, j), and nothing between rows was written.
template <class T, class F>
::testing::AssertionResult agrees(const PaddedMatrix<T>& like, const HostVector<T>& found, F&& product) {
    for (Size i = 0; i < like.n_rows; ++i) {
        for (Size j = 0; j < like.n_cols; ++j) {
            const Product expected = product(i, j);
            const auto close = within(found[i * like.ld + j], expected.exact, expected.bound<T>(like.n_cols));
            if (!close) return ::testing::AssertionFailure() << "(" << i << ", " << j << "): " << close.message();
        }
        for (Size j = like.n_cols; j < like.ld; ++j) {
            if (!std::isnan(found[i * like.ld + j])) return ::testing::AssertionFailure() << "row " << i << " overran";
        }
    }
    return ::testing::AssertionSuccess();
}

/// Whether `gram` is W' diag(weight) W.
template <class T, class Weight>
::testing::AssertionResult is_gram(const PaddedMatrix<T>& like, const HostVector<T>& w, Weight&& weight,
                                   const double* gram) {
    const Size k = like.n_cols;
    for (Size i = 0; i < k; ++i) {
        for (Size j = 0; j < k; ++j) {
            long double exact = 0, absolute = 0;
            for (Size row = 0; row < like.n_rows; ++row) {
                const long double term =
                    static_cast<long double>(w[row * like.ld + i]) * w[row * like.ld + j] * weight(row);
                exact += term;
                absolute += std::abs(term);
            }
            const auto close = within(gram[i * k + j], exact, sum_bound<double>(like.n_rows + 2, absolute));
            if (!close) return ::testing::AssertionFailure() << "G(" << i << ", " << j << "): " << close.message();
        }
    }
    return ::testing::AssertionSuccess();
}

template <class Case>
class BlockCgKernels : public ::testing::Test {
protected:
    using Backend = typename Case::backend;
    using Value = typename Case::type;

    template <class M>
    void check(const Operands<Value>& from, const M& m) {
        constexpr bool jacobi = !std::is_same_v<M, Identity>;
        SCOPED_TRACE(std::to_string(from.n) + " x " + std::to_string(from.k) + ", ld " + std::to_string(from.w.ld) +
                     (jacobi ? ", jacobi" : ""));
        const Index k = from.k;
        BlockCgStorage<Backend> storage(backend, k);
        const BlockCgMatrices small = small_matrices(storage, from.doubles);
        const auto inverse = [&](Size i) -> long double { return jacobi ? from.inverse_diagonal[i] : Value{1}; };
        CgState state{.max_iterations = 10};

        auto s = from.s.values.clone();
        auto x = from.x.values.clone();
        block_cg_direction(backend, m, from.w.view(), from.s.view_of(s), from.x.view_of(x), small, &state);
        EXPECT_TRUE(agrees(from.x, x, [&](Size i, Size j) {
            Product product{from.x(i, j), std::abs(static_cast<long double>(from.x(i, j)))};
            product.add(1, from.s, i, small.step, k, j);
            return product;
        }));
        EXPECT_TRUE(agrees(from.s, s, [&](Size i, Size j) {
            Product product;
            product.add(std::sqrt(inverse(i)), from.w, i, small.z, k, j);
            product.add(1, from.s, i, small.zeta, k, j, true);
            return product;
        }));

        auto w = from.w.values.clone();
        block_cg_residual(backend, m, from.as.view(), from.w.view_of(w), small, &state);
        EXPECT_TRUE(agrees(from.w, w, [&](Size i, Size j) {
            Product product;
            product.add(1, from.w, i, small.z, k, j);
            product.add(-std::sqrt(inverse(i)), from.as, i, small.xi, k, j);
            return product;
        }));
        EXPECT_TRUE(is_gram(
            from.w, w, [](Size) { return 1.0L; }, small.gram));
        if (jacobi) {
            EXPECT_TRUE(is_gram(
                from.w, w, [&](Size i) { return 1 / inverse(i); }, small.weighted));
        }
    }

    Backend backend{};
};
TYPED_TEST_SUITE(BlockCgKernels, EveryBackendAndType);

TYPED_TEST(BlockCgKernels, AreWithinTheirBounds) {
    using T = typename TypeParam::type;
    for (const Index k : {1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 31, 32, 40, 64}) {
        for (const Index n : {0, 1, 7, 31, 32, 33, 65, k <= 8 ? 2500 : 200}) {
            for (const Size padding : {0, 3}) {
                const Operands<T> from(n, k, padding);
                this->check(from, Identity{});
                this->check(from, HostJacobi<T>{from.inverse_diagonal.clone()});
            }
        }
    }
}

TYPED_TEST(BlockCgKernels, DoNothingOnceTheRunHasEnded) {
    using T = typename TypeParam::type;
    using B = typename TypeParam::backend;
    const Operands<T> from(100, 8, 0);
    BlockCgStorage<B> storage(this->backend, 8);
    const BlockCgMatrices small = small_matrices(storage, from.doubles);
    const CgState state{.reason = StopReason::converged};
    auto w = from.w.values.clone();
    auto s = from.s.values.clone();
    auto x = from.x.values.clone();
    block_cg_residual(this->backend, Identity{}, from.as.view(), from.w.view_of(w), small, &state);
    block_cg_direction(this->backend, Identity{}, from.w.view(), from.s.view_of(s), from.x.view_of(x), small, &state);
    EXPECT_TRUE(std::equal(w.begin(), w.end(), from.w.values.begin()));
    EXPECT_TRUE(std::equal(s.begin(), s.end(), from.s.values.begin()));
    EXPECT_TRUE(std::equal(x.begin(), x.end(), from.x.values.begin()));
    EXPECT_TRUE(std::equal(from.doubles.begin(), from.doubles.end(), storage.doubles().begin()));
}

TYPED_TEST(BlockCgKernels, ANaNStaysInItsRow) {
    using T = typename TypeParam::type;
    using B = typename TypeParam::backend;
    for (const Index k : {3, 8, 40}) {
        Operands<T> from(200, k, 0);
        from.w.values[Size{77} * k + 1] = std::numeric_limits<T>::quiet_NaN();
        BlockCgStorage<B> storage(this->backend, k);
        const BlockCgMatrices small = small_matrices(storage, from.doubles);
        CgState state{.max_iterations = 10};
        auto w = from.w.values.clone();
        block_cg_residual(this->backend, Identity{}, from.as.view(), from.w.view_of(w), small, &state);
        for (Size e = 0; e < w.size(); ++e) ASSERT_EQ(std::isnan(w[e]), e / k == 77) << e;
        for (Index e = 0; e < k * k; ++e) EXPECT_TRUE(std::isnan(small.gram[e])) << e;
    }
}

template <class T>
class BlockCgKernelsOnThreads : public ::testing::Test {};
TYPED_TEST_SUITE(BlockCgKernelsOnThreads, EveryType);

TYPED_TEST(BlockCgKernelsOnThreads, AreBitEqualOnAnyNumber) {
    using T = TypeParam;
    for (const Index k : {3, 8, 32}) {
        const Operands<T> from(20011, k, 0);
        HostVector<T> expected;
        HostVector<double> expected_gram;
        for (const int threads : {1, 2, 3, 7}) {
            OpenMP backend(threads);
            BlockCgStorage<OpenMP> storage(backend, k);
            const BlockCgMatrices small = small_matrices(storage, from.doubles);
            CgState state{.max_iterations = 10};
            auto w = from.w.values.clone();
            const HostJacobi<T> m{from.inverse_diagonal.clone()};
            block_cg_residual(backend, m, from.as.view(), from.w.view_of(w), small, &state);
            if (threads == 1) {
                expected = std::move(w);
                expected_gram = storage.doubles().clone();
                continue;
            }
            EXPECT_EQ(std::memcmp(w.data(), expected.data(), static_cast<std::size_t>(w.bytes())), 0) << threads;
            EXPECT_TRUE(std::equal(expected_gram.begin(), expected_gram.end(), storage.doubles().begin())) << threads;
        }
    }
}

}  // namespace
}  // namespace stiefel::test
