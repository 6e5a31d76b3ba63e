#include "stiefel/dense/transpose_kernels.hpp"
#include "support/backends.hpp"
#include "support/csr_checks.hpp"
#include "support/transpose_reference.hpp"

namespace stiefel::test {
namespace {

template <class T>
class Transpose : public ::testing::Test {};
TYPED_TEST_SUITE(Transpose, EveryType);

template <class Backend, class T>
void expect_every_rung_transposes(Backend& backend, const PaddedMatrix<T>& a, Size padding) {
    const Size ld = std::max<Size>(1, a.n_rows + padding);
    for (const auto& kernel : transpose_kernels<T>(backend)) {
        HostVector<T> b(a.n_cols * ld, std::numeric_limits<T>::quiet_NaN());
        kernel.run(backend, a.view(), {b.data(), a.n_cols, a.n_rows, ld});
        EXPECT_TRUE(is_transpose(a, b, ld)) << kernel.name << " on " << Backend::name << " with " << backend.threads()
                                            << " threads, " << a.n_rows << " x " << a.n_cols << ", padding " << padding;
    }
}

TYPED_TEST(Transpose, EveryRungOnAnyNumberOfThreads) {
    Serial serial;
    Size padding = 0;
    for (const Index m : {0, 1, 7, 8, 16, 31, 32, 33, 1000}) {
        for (const Index n : {0, 1, 8, 16, 31, 32, 33, 1000}) {
            padding = (padding + 1) % 4;
            const PaddedMatrix<TypeParam> a(m, n, padding, 7);
            expect_every_rung_transposes(serial, a, 2 * padding);
            for (const int threads : {1, 2, 3, 7}) {
                OpenMP openmp(threads);
                expect_every_rung_transposes(openmp, a, 2 * padding);
            }
        }
    }
}

TYPED_TEST(Transpose, LargeAlignedResultsAreWrittenAroundTheCaches) {
    OpenMP openmp(2);
    const PaddedMatrix<TypeParam> a(1536, 1040, 0, 9);
    expect_every_rung_transposes(openmp, a, 0);
    const PaddedMatrix<TypeParam> ragged(1541, 1043, 3, 9);
    expect_every_rung_transposes(openmp, ragged, 11);
}

TYPED_TEST(Transpose, InPlace) {
    using T = TypeParam;
    const auto expect = [](auto& backend, Index n, Size padding) {
        const PaddedMatrix<T> a(n, n, padding, 3);
        HostVector<T> b = a.values.clone();
        transpose_in_place(backend, a.view_of(b));
        EXPECT_TRUE(is_transpose(a, b, a.ld)) << n << " on " << backend.threads() << " threads of " << backend.name;
    };
    Serial serial;
    for (const Index n : {0, 1, 31, 32, 33, 500}) {
        expect(serial, n, n % 3);
        for (const int threads : {1, 2, 3, 7}) {
            OpenMP openmp(threads);
            expect(openmp, n, n % 3);
        }
    }
}

TYPED_TEST(Transpose, RefusesWhatDoesNotFit) {
    using T = TypeParam;
    HostVector<T> v(Size{40}, T{1});
    HostVector<T> w(Size{40}, T{1});
    OpenMP backend(2);
    const auto text = [&](HostMatrix<T> a, HostMatrix<T> b) { return refusal([&] { transpose<T>(backend, a, b); }); };
    EXPECT_EQ(text(as_matrix(v, 3, 4), as_matrix(w, 3, 4)),
              "transpose: B must have as many rows as A has columns (B: 3, A: 4)");
    EXPECT_EQ(text(as_matrix(v, 3, 4), as_matrix(w, 4, 4)),
              "transpose: B must have as many columns as A has rows (B: 4, A: 3)");
    EXPECT_EQ(text(as_matrix(v, 4, 4), as_matrix(v, 4, 4)), "transpose: B and A overlap in memory");
    EXPECT_EQ(text(as_matrix(v, 3, 4), {w.data(), 4, 3, 2}),
              "transpose: B: the leading dimension is 2; it must be at least 1 and the number of columns, 3");
    EXPECT_EQ(refusal([&] { transpose_in_place(backend, as_matrix(v, 3, 4)); }),
              "transpose_in_place: A must be square (rows: 3, columns: 4)");
}

}  // namespace
}  // namespace stiefel::test
