#include "stiefel/dense/gemm_kernels.hpp"
#include "stiefel/dense/packed/gemm_packed.hpp"
#include "support/backends.hpp"
#include "support/gemm_reference.hpp"

#include <cstring>

namespace stiefel::test {
namespace {

template <class T>
class Gemm : public ::testing::Test {};
TYPED_TEST_SUITE(Gemm, EveryType);

template <class Backend, class T>
HostVector<T> product(Backend& backend, const GemmReference<T>& reference, const GemmKernel<Backend, T>& kernel,
                      const GemmTuning& tuning = {}) {
    const GemmCase& what = reference.what();
    HostVector<T> c = reference.c().values.clone();
    const auto arguments = gemm_arguments(what.op_a, what.op_b, reference.alpha(), reference.a().view(),
                                          reference.b().view(), reference.beta(), reference.c().view_of(c));
    kernel.run(backend, arguments, tuning);
    return c;
}

template <class T>
bool same_bits(const HostVector<T>& x, const HostVector<T>& y) {
    return x.empty() || std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0;
}

TYPED_TEST(Gemm, EveryRungIsWithinTheBoundOnAnyNumberOfThreads) {
    using T = TypeParam;
    Serial serial;
    for (const GemmCase& what : gemm_cases()) {
        const GemmReference<T> reference(what);
        for (const auto& kernel : gemm_kernels<T>(serial)) {
            ASSERT_TRUE(reference.accepts(product(serial, reference, kernel))) << kernel.name << ": " << what;
        }
        for (const int threads : {1, 2, 3, 7}) {
            OpenMP openmp(threads);
            for (const auto& kernel : gemm_kernels<T>(openmp)) {
                ASSERT_TRUE(reference.accepts(product(openmp, reference, kernel)))
                    << kernel.name << " on " << threads << " threads: " << what;
            }
        }
    }
}

TYPED_TEST(Gemm, BitsDoNotDependOnTheNumberOfThreads) {
    using T = TypeParam;
    const GemmReference<T> reference({211, 307, 503, Op::none, Op::transpose, 0.5, 2, 1});
    OpenMP one(1);
    for (const auto& kernel : gemm_kernels<T>(one)) {
        const HostVector<T> expected = product(one, reference, kernel);
        for (const int threads : {2, 3, 7}) {
            OpenMP openmp(threads);
            EXPECT_TRUE(same_bits(product(openmp, reference, kernel), expected)) << kernel.name << " on " << threads;
        }
    }
}

TYPED_TEST(Gemm, EveryMicroKernelIsWithinTheBound) {
    using T = TypeParam;
    for (const Op op_a : {Op::none, Op::transpose}) {
        for (const Op op_b : {Op::none, Op::transpose}) {
            const GemmReference<T> reference({101, 203, 403, op_a, op_b, 0.5, 2, 1});
            for (const auto& kernel : micro_kernels<T>()) {
                HostVector<T> c = reference.c().values.clone();
                gemm_packed(gemm_arguments(op_a, op_b, reference.alpha(), reference.a().view(), reference.b().view(),
                                           reference.beta(), reference.c().view_of(c)),
                            kernel, 2);
                EXPECT_TRUE(reference.accepts(c)) << kernel.instructions;
            }
        }
    }
}

TYPED_TEST(Gemm, SchedulesAndTilesOnlyChangeTheTime) {
    using T = TypeParam;
    const GemmReference<T> reference({45, 70, 33, Op::transpose, Op::none, 1, 0, 0});
    OpenMP openmp(3);
    for (const auto& kernel : gemm_kernels<T>(openmp)) {
        for (const Schedule schedule : {Schedule::none, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
            for (const int chunk : {0, 1, 5}) {
                for (const Index tile : {1, 16, 100}) {
                    const GemmTuning tuning{.tile = tile, .schedule = schedule, .chunk = chunk};
                    EXPECT_TRUE(reference.accepts(product(openmp, reference, kernel, tuning)))
                        << kernel.name << " " << to_string(schedule) << " " << chunk << " tile " << tile;
                }
            }
        }
    }
}

TYPED_TEST(Gemm, AlphaZeroReadsNeitherANorB) {
    using T = TypeParam;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const HostVector<T> a(Size{6}, nan);
    HostVector<T> c{1, 2, 3, 4};
    OpenMP backend(2);
    gemm(backend, Op::none, Op::none, 0, as_matrix(a, 2, 3), as_matrix(a, 3, 2), 3, as_matrix(c, 2, 2));
    for (Size i = 0; i < 4; ++i) EXPECT_EQ(c[i], static_cast<T>(3 * (i + 1)));
}

TYPED_TEST(Gemm, HandValuesThroughThePublicFunction) {
    using T = TypeParam;
    const HostVector<T> a{1, 2, 3, 4, 5, 6};
    const HostVector<T> b{1, 0, 2, 1, 1, 3};
    HostVector<T> c{10, 20, 30, 40};
    Serial backend;
    gemm(backend, Op::none, Op::none, 2, as_matrix(a, 2, 3), as_matrix(b, 3, 2), 1, as_matrix(c, 2, 2));
    const T expected[] = {26, 42, 70, 86};
    for (Size i = 0; i < 4; ++i) EXPECT_EQ(c[i], expected[i]);

    // Columns of one wide array are different matrices: here the left half times the identity into the right half.
    HostVector<T> wide{1, 2, 0, 0, 3, 4, 0, 0};
    const HostVector<T> identity{1, 0, 0, 1};
    gemm(backend, Op::none, Op::none, 1, HostMatrix<const T>{wide.data(), 2, 2, 4}, as_matrix(identity, 2, 2), 0,
         HostMatrix<T>{wide.data() + 2, 2, 2, 4});
    const T halves[] = {1, 2, 1, 2, 3, 4, 3, 4};
    for (Size i = 0; i < 8; ++i) EXPECT_EQ(wide[i], halves[i]);
}

}  // namespace
}  // namespace stiefel::test
