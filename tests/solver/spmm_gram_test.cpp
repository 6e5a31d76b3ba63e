#include "support/backends.hpp"
#include "support/formats.hpp"
#include "support/spmm_gram_check.hpp"

namespace stiefel::test {
namespace {

constexpr auto same = [](const auto& v) { return v.clone(); };

template <class Case>
class SpmmGram : public ::testing::Test {};
TYPED_TEST_SUITE(SpmmGram, EveryBackendAndType);

TYPED_TEST(SpmmGram, IsTheProductAndItsGramMatrix) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend{};
    for_each_spmm_gram_matrix<T>([&](const HostCsr<T>& host) {
        for_each_format(host, [&](const std::string& label, const auto& a) {
            SCOPED_TRACE(label);
            expect_spmm_gram(backend, host, a, same, same);
        });
    });
}

TYPED_TEST(SpmmGram, TakesAnOperatorChosenAtRunTime) {
    using T = typename TypeParam::type;
    using B = typename TypeParam::backend;
    B backend{};
    const RandomCsr shape{.n_rows = 700, .n_cols = 700, .full_row = 17};
    const auto host = random_csr<T>(shape);
    const SpmvOperator<B, T> a(random_csr<T>(shape), spmv_kernels(backend, host).back());
    expect_spmm_gram(backend, host, a, same, same);
}

TYPED_TEST(SpmmGram, RefusesWhatDoesNotFit) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend{};
    const auto a = random_csr<T>({.n_rows = 100, .n_cols = 100});
    expect_spmm_gram_refuses<typename TypeParam::backend, T>(backend, a, 100, same);
}

template <class T>
class SpmmGramOnThreads : public ::testing::Test {};
TYPED_TEST_SUITE(SpmmGramOnThreads, EveryType);

TYPED_TEST(SpmmGramOnThreads, IsBitEqualOnAnyNumber) {
    using T = TypeParam;
    const auto host = random_csr<T>({.n_rows = 20011, .n_cols = 20011, .mean_row = 4});
    for_each_format(host, [&](const std::string& label, const auto& a) {
        for (const Index k : {3, 8}) {
            SCOPED_TRACE(label + ", " + std::to_string(k) + " columns");
            const auto s = random_vector<T>(Size{20011} * k, 6);
            HostVector<double> expected;
            for (const int threads : {1, 2, 3, 7}) {
                OpenMP backend(threads);
                HostVector<T> as(s.size());
                HostVector<double> gram(Size{k} * k);
                spmm_gram(backend, a, as_matrix(s, 20011, k), as_matrix(as, 20011, k), as_matrix(gram, k, k));
                if (threads == 1) expected = gram.clone();
                EXPECT_TRUE(std::equal(gram.begin(), gram.end(), expected.begin())) << threads;
            }
        }
    });
}

}  // namespace
}  // namespace stiefel::test
