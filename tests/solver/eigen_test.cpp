#include "support/backends.hpp"
#include "support/eigen_preconditioners.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class Eigen : public ::testing::Test {
protected:
    typename Case::backend backend;
};
TYPED_TEST_SUITE(Eigen, EveryBackendAndType);

TYPED_TEST(Eigen, BothEndsOfDefiniteAndIndefiniteMatrices) {
    check_poisson_pairs<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, AllSizesAndWidths) {
    check_sizes<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, MatricesWithNothingToIterate) {
    check_degenerate_matrices<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, MatricesWhoseSquaresLeaveTheRangeOfNumbers) {
    check_far_matrices<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, PlainMethodsFindTheEndsThatTheyAreAskedFor) {
    check_plain_methods<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, StartBlocksOfLowRankAreCompleted) {
    check_start_blocks<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, NamesTheReasonsToStop) {
    check_reasons<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, EveryListedPreconditionerFindsThePairs) {
    check_listed_preconditioners<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, RunsRepeatBitForBit) {
    check_determinism<typename TypeParam::type>(this->backend);
}

TYPED_TEST(Eigen, RefusesWhatCannotBe) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = diagonal_matrix<T>({1, 2, 3});
    const auto refused = [&](Index k, const EigenOptions& options, Method method = Method::lobpcg) {
        return refusal([&] { find<T>(this->backend, a, k, method, options); });
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refused(0, {}), "lobpcg: the block has no columns; ask for at least one eigenpair");
    EXPECT_EQ(refused(4, {}), "lobpcg: 4 eigenpairs are asked of a matrix with 3 rows");
    EXPECT_EQ(refused(1, {.rtol = nan}), "lobpcg: rtol is nan; it must be at least 0 and below 1");
    EXPECT_EQ(refused(1, {.rtol = 1}), "lobpcg: rtol is 1; it must be at least 0 and below 1");
    EXPECT_EQ(refused(1, {.which = EigenEnd::magnitude}), "lobpcg: the end must be smallest or largest");
    EXPECT_EQ(refused(1, {.which = EigenEnd::magnitude}, Method::filtered),
              "subspace_iteration: a Chebyshev filter finds one end of the spectrum, smallest or largest");
    EXPECT_EQ(refused(2, {}, Method::power), "power_iteration: the start block must have one column");
    const HostCsr<T> large = diagonal_matrix<T>(std::vector<double>(100, 1.0));
    EXPECT_EQ(refusal([&] { find<T>(this->backend, large, 65, Method::lobpcg, {}); }),
              "lobpcg: 65 eigenpairs are asked for; a block finds at most 64");
}

TYPED_TEST(Eigen, SaysBeforeTheRunHowManyPairsFitInMemory) {
    using T = typename TypeParam::type;
    // The block is never touched, so it takes addresses but no memory.
    const Size n = available_bytes(this->backend) / (45 * static_cast<Size>(sizeof(T)));
    ASSERT_LE(n, std::numeric_limits<Index>::max());
    const HostCsr<T> a = {};
    auto x = HostMultivector<T>(HostVector<T>(4 * n), static_cast<Index>(n), 4);
    try {
        lobpcg(this->backend, a, x, {.guard_vectors = 0});
        FAIL() << "ran";
    } catch (const OutOfMemory& error) {
        // 13 vectors of n for each column, and 45 are there
        EXPECT_NE(std::string(error.what()).find("(3 would fit)"), std::string::npos) << error.what();
    }
}

/// The identity, with more memory to its name than there is.
struct Greedy {
    static constexpr Size vectors_per_column = Size{1} << 40;

    template <class B, class T>
    friend void precondition(B& backend, const Greedy&, MatrixView<const T, HostMemory> r,
                             MatrixView<T, HostMemory> w) {
        assign_panel<B, T>(backend, T{1}, r, w);
    }
};

TEST(EigenMemory, CountsWhatThePreconditionerHolds) {
    OpenMP backend;
    const auto a = poisson1d<double>(backend, whole_space_rows + 8);
    auto x = random_multivector<double>(backend, a.n_rows, 2, 1);
    EXPECT_THROW(lobpcg(backend, a, Greedy{}, x), OutOfMemory);
    EXPECT_EQ(lobpcg(backend, a, make_shifted_chebyshev<OpenMP, double>(backend, a, a.n_rows, 8, EigenEnd::smallest), x)
                  .reason,
              StopReason::converged);
}

TEST(EigenReport, ChebyshevSaysWhatItMoves) {
    OpenMP backend;
    const auto a = poisson2d<double>(backend, 30, 30);
    auto x = random_multivector<double>(backend, a.n_rows, 2, 1);
    const auto m = make_shifted_chebyshev<OpenMP, double>(backend, a, a.n_rows, 8, EigenEnd::smallest);
    const EigenResult result = lobpcg(backend, a, m, x);
    const auto is_preconditioner = [](const KernelTime& kernel) { return kernel.name == "preconditioner"; };
    const auto row = std::find_if(result.kernels.begin(), result.kernels.end(), is_preconditioner);
    ASSERT_NE(row, result.kernels.end());
    const Work least = panel_work_of(a, 1);  // an application has at least one column
    EXPECT_GE(row->work.bytes, m.degree() * least.bytes);
    EXPECT_GE(row->work.flops, m.degree() * least.flops);
}

TEST(EigenOnThreads, BitsDoNotDependOnTheirNumber) {
    OpenMP maker(1);
    const HostCsr<double> a = poisson2d<double>(maker, 90, 91);
    for (const Method method : {Method::lobpcg, Method::lobpcg_chebyshev, Method::filtered}) {
        OpenMP one(1);
        const EigenOptions options{.rtol = 1e-6, .max_iterations = 30};
        const auto expected = find<double>(one, a, 4, method, options);
        for (const int threads : {2, 3, 7}) {
            OpenMP backend(threads);
            const auto found = find<double>(backend, a, 4, method, options);
            EXPECT_EQ(found.result.iterations, expected.result.iterations) << threads;
            EXPECT_TRUE(std::equal(found.vectors.begin(), found.vectors.end(), expected.vectors.begin())) << threads;
        }
    }
}

TEST(EigenIterations, AreWhatTheyWere) {
    Serial backend;
    OpenMP maker(1);
    const HostCsr<double> a = poisson2d<double>(maker, 40, 41);
    const auto iterations = [&](Method method) {
        const auto found = find<double>(backend, a, 6, method, {.rtol = 1e-8});
        EXPECT_EQ(found.result.reason, StopReason::converged);
        return static_cast<double>(found.result.iterations);
    };
    EXPECT_NEAR(iterations(Method::lobpcg), 174, 9);
    EXPECT_NEAR(iterations(Method::lobpcg_chebyshev), 18, 1);
    EXPECT_NEAR(iterations(Method::filtered), 39, 2);
}

}  // namespace
}  // namespace stiefel::test
