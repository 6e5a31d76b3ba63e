#include "stiefel/dense/panel.hpp"
#include "stiefel/core/bandwidth.hpp"
#include "stiefel/dense/packed/panel_kernel.hpp"
#include "support/backends.hpp"
#include "support/csr_checks.hpp"
#include "support/panel_reference.hpp"

#include <cstring>

namespace stiefel::test {
namespace {

template <class Case>
class Panel : public ::testing::Test {};
TYPED_TEST_SUITE(Panel, EveryBackendAndType);

template <class B>
std::vector<B> backends() {
    return std::vector<B>(1);
}
template <>
std::vector<OpenMP> backends<OpenMP>() {
    std::vector<OpenMP> all;
    for (const int threads : {1, 2, 3, 7}) all.emplace_back(threads);
    return all;
}

TYPED_TEST(Panel, GramIsWithinTheBound) {
    using T = typename TypeParam::type;
    auto all = backends<typename TypeParam::backend>();
    for (const PanelCase& what : panel_cases()) {
        const GramReference<T> reference(what);
        for (auto& backend : all) {
            HostVector<double> g = reference.blank();
            gram(backend, reference.p().view(), reference.q().view(), reference.view_of(g));
            ASSERT_TRUE(reference.accepts(g)) << what;
        }
    }
}

TYPED_TEST(Panel, UpdateIsWithinTheBound) {
    using T = typename TypeParam::type;
    auto all = backends<typename TypeParam::backend>();
    for (const PanelCase& what : panel_cases()) {
        const PanelUpdateReference<T> reference(what);
        for (auto& backend : all) {
            HostVector<T> y = reference.y().values.clone();
            panel_update(backend, what.alpha, reference.x().view(), reference.b().view(), what.beta,
                         reference.y().view_of(y));
            ASSERT_TRUE(reference.accepts(y)) << what;
        }
    }
}

TYPED_TEST(Panel, GramOfAPanelWithItselfIsSymmetricToTheBit) {
    using T = typename TypeParam::type;
    const PaddedMatrix<T> p(1000, 19, 2, 5);
    typename TypeParam::backend backend;
    HostVector<double> g(Size{19} * 19);
    gram(backend, p.view(), p.view(), as_matrix(g, 19, 19));
    for (Index i = 0; i < 19; ++i) {
        for (Index j = 0; j < i; ++j) EXPECT_EQ(g[i * 19 + j], g[j * 19 + i]) << i << " " << j;
    }
}

TYPED_TEST(Panel, RefusesWhatDoesNotFit) {
    using T = typename TypeParam::type;
    HostVector<T> v(Size{700}, T{1});
    HostVector<T> w(Size{700}, T{1});
    HostVector<double> g(Size{700}, 1.0);
    typename TypeParam::backend backend;
    const auto gram_text = [&](HostMatrix<T> p, HostMatrix<T> q, HostMatrix<double> r) {
        return refusal([&] { gram<T>(backend, p, q, r); });
    };
    EXPECT_EQ(gram_text(as_matrix(v, 10, 2), as_matrix(w, 9, 3), as_matrix(g, 2, 3)),
              "gram: P and Q must have the same number of rows (P: 10, Q: 9)");
    EXPECT_EQ(gram_text(as_matrix(v, 10, 2), as_matrix(w, 10, 3), as_matrix(g, 3, 3)),
              "gram: G must have as many rows as P has columns (G: 3, P: 2)");
    EXPECT_EQ(gram_text(as_matrix(v, 10, 2), as_matrix(w, 10, 3), as_matrix(g, 2, 2)),
              "gram: G must have as many columns as Q (G: 2, Q: 3)");
    EXPECT_EQ(gram_text(as_matrix(v, 10, 65), as_matrix(w, 10, 3), as_matrix(g, 65, 3)),
              "gram: P has 65 columns; a panel has at most 64, use gemm for more");
    const auto update_text = [&](HostMatrix<T> x, HostMatrix<double> b, HostMatrix<T> y) {
        return refusal([&] { panel_update<T>(backend, 1, x, b, 0, y); });
    };
    EXPECT_EQ(update_text(as_matrix(v, 10, 2), as_matrix(g, 3, 3), as_matrix(w, 10, 3)),
              "panel_update: B must have as many rows as X has columns (B: 3, X: 2)");
    EXPECT_EQ(update_text(as_matrix(v, 10, 2), as_matrix(g, 2, 3), as_matrix(w, 10, 2)),
              "panel_update: Y must have as many columns as B (Y: 2, B: 3)");
    EXPECT_EQ(update_text(as_matrix(v, 10, 2), as_matrix(g, 2, 3), as_matrix(w, 11, 3)),
              "panel_update: Y must have as many rows as X (Y: 11, X: 10)");
    EXPECT_EQ(update_text(as_matrix(v, 10, 2), as_matrix(g, 2, 2), as_matrix(v, 10, 2)),
              "panel_update: Y and X overlap in memory");
}

TYPED_TEST(Panel, NaNStaysInItsRow) {
    using T = typename TypeParam::type;
    constexpr Index n = 37;
    typename TypeParam::backend backend;
    for (const Index k : {1, 2, 3, 4, 8, 24, 64}) {
        const HostVector<double> b(Size{k} * k, 0.5);
        for (const Index bad : {0, 5, 36}) {
            HostVector<T> x(Size{n} * k, T{1});
            HostVector<T> y(Size{n} * k, T{1});
            x[bad * k + k - 1] = std::numeric_limits<T>::quiet_NaN();
            panel_update<T>(backend, 1, as_matrix(x, n, k), as_matrix(b, k, k), 2, as_matrix(y, n, k));
            for (Index i = 0; i < n; ++i) {
                for (Index j = 0; j < k; ++j) {
                    const T value = y[i * k + j];
                    EXPECT_TRUE(i == bad ? std::isnan(value) : value == static_cast<T>(0.5 * k + 2))
                        << "k " << k << ", NaN in row " << bad << ", row " << i << ": " << value;
                }
            }
        }
    }
}

template <class T>
class PanelThreads : public ::testing::Test {};
TYPED_TEST_SUITE(PanelThreads, EveryType);

TYPED_TEST(PanelThreads, BitsDoNotDependOnTheirNumber) {
    using T = TypeParam;
    for (const auto& [k, padding] : {std::pair{4, 0}, {5, 0}, {8, 0}, {24, 0}, {4, 20}}) {
        const PaddedMatrix<T> p(70000, k, padding, 1);
        const PaddedMatrix<T> q(70000, k, padding, 2);
        HostVector<double> expected(Size{k} * k);
        OpenMP one(1);
        gram(one, p.view(), q.view(), as_matrix(expected, k, k));
        HostVector<T> y = q.values.clone();
        panel_update<T>(one, 0.5, p.view(), as_matrix(expected, k, k), -1, q.view_of(y));
        for (const int threads : {2, 3, 7}) {
            OpenMP backend(threads);
            HostVector<double> g(Size{k} * k);
            gram(backend, p.view(), q.view(), as_matrix(g, k, k));
            EXPECT_EQ(std::memcmp(g.data(), expected.data(), static_cast<std::size_t>(g.bytes())), 0) << threads;
            HostVector<T> z = q.values.clone();
            panel_update<T>(backend, 0.5, p.view(), as_matrix(g, k, k), -1, q.view_of(z));
            EXPECT_EQ(std::memcmp(z.data(), y.data(), static_cast<std::size_t>(z.bytes())), 0) << threads;
        }
    }
}

/// Y is written around the caches where it exceeds them: the same bits as through them.
TYPED_TEST(PanelThreads, LargePanelsAreWrittenWhole) {
    using T = TypeParam;
    constexpr Index k = 4;
    const Size rows = last_level_cache_bytes() / static_cast<Size>(k * sizeof(T)) + 1003;
    if (rows > Size{100000000}) GTEST_SKIP() << "the caches hold " << last_level_cache_bytes() << " bytes";
    const auto n = static_cast<Index>(rows);
    const HostVector<double> b{1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 4};
    HostVector<T> x(rows * k);
    for (Size i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 1024);
    HostVector<T> y(rows * k, std::numeric_limits<T>::quiet_NaN());
    OpenMP backend(2);
    panel_update<T>(backend, 1, as_matrix(x, n, k), as_matrix(b, k, k), 0, as_matrix(y, n, k));
    Size wrong = 0;
    for (Size i = 0; i < rows; ++i) {
        const T* const from = x.data() + i * k;
        const T* const to = y.data() + i * k;
        const bool right = to[0] == from[0] && to[1] == from[2] && to[2] == 2 * from[1] && to[3] == 4 * from[3];
        wrong += right ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
}

/// Whatever the processor, its narrower registers are there as well.
TEST(PanelKernels, EveryInstructionSetAgrees) {
    constexpr Index n = 19;
    for (const PanelKernel& kernel : panel_kernels()) {
        for (const Index p : {1, 2, 3, 4, 7, 8, 24}) {
            for (const Index q : {1, 2, 3, 4, 5, 8, 24}) {
                const PaddedMatrix<double> x(n, p, 0, 1);
                const PaddedMatrix<double> y(n, q, 0, 2);
                const PanelRows<const double> x_rows{x.values.data(), p, x.ld};
                HostVector<double> sums(Size{p} * 24, 0.0);
                kernel.add_gram(n, x_rows, {y.values.data(), q, y.ld}, 0, sums.data(), 24);
                HostVector<double> expected(Size{p} * 24, 0.0);
                Serial serial;
                gram(serial, x.view(), y.view(), HostMatrix<double>{expected.data(), p, q, 24});
                for (Size i = 0; i < p; ++i) {
                    for (Size j = 0; j < q; ++j) {
                        EXPECT_TRUE(within(sums[i * 24 + j], expected[i * 24 + j], 2 * sum_bound<double>(n, n)))
                            << kernel.instructions << ": " << p << " x " << q << ", " << i << " " << j;
                    }
                }
                HostVector<double> z = y.values.clone();
                HostVector<double> w = y.values.clone();
                kernel.update_double(n, -1, x_rows, expected.data(), 24, 0.5, {z.data(), q, y.ld}, false);
                panel_update<double>(serial, -1, x.view(), HostMatrix<const double>{expected.data(), p, q, 24}, 0.5,
                                     y.view_of(w));
                for (Size i = 0; i < w.size(); ++i) {
                    EXPECT_TRUE(within(z[i], w[i], 2 * sum_bound<double>(p + 2, (p + 1) * n)))
                        << kernel.instructions << ": " << p << " x " << q << ", " << i;
                }
            }
        }
    }
}

}  // namespace
}  // namespace stiefel::test
