#include "stiefel/dense/panel.hpp"
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
    for (auto& backend : backends<typename TypeParam::backend>()) {
        for (const PanelCase& what : panel_cases()) {
            const GramReference<T> reference(what);
            HostVector<double> g = reference.blank();
            gram(backend, reference.p().view(), reference.q().view(), reference.view_of(g));
            ASSERT_TRUE(reference.accepts(g)) << what;
        }
    }
}

TYPED_TEST(Panel, UpdateIsWithinTheBound) {
    using T = typename TypeParam::type;
    for (auto& backend : backends<typename TypeParam::backend>()) {
        for (const PanelCase& what : panel_cases()) {
            const PanelUpdateReference<T> reference(what);
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

TEST(PanelThreads, GramDoesNotDependOnTheirNumber) {
    const PaddedMatrix<double> p(70000, 5, 0, 1);
    const PaddedMatrix<double> q(70000, 7, 0, 2);
    HostVector<double> expected(Size{35});
    OpenMP one(1);
    gram(one, p.view(), q.view(), as_matrix(expected, 5, 7));
    for (const int threads : {2, 3, 7}) {
        OpenMP backend(threads);
        HostVector<double> g(Size{35});
        gram(backend, p.view(), q.view(), as_matrix(g, 5, 7));
        EXPECT_EQ(std::memcmp(g.data(), expected.data(), 35 * sizeof(double)), 0) << threads;
    }
}

}  // namespace
}  // namespace stiefel::test
