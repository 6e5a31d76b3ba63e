#include "stiefel/spmv/matrix_builder.hpp"

#include "support/backends.hpp"
#include "support/matrices.hpp"

#include <vector>

namespace stiefel::test {
namespace {

template <class Case>
class BuildMatrix : public ::testing::Test {};
TYPED_TEST_SUITE(BuildMatrix, EveryBackendAndType);

TYPED_TEST(BuildMatrix, FromTripletsInAnyOrder) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    const std::vector<Index> i{2, 0, 1, 2, 2}, j{0, 0, 1, 2, 0};
    const std::vector<T> v{7, 4, 5, 1, 3};
    const HostCsr<T> a = csr_from_triplets<T>(backend, 3, 3, i, j, v);
    EXPECT_EQ(a.nnz(), 4);
    EXPECT_EQ(dense(a), (std::vector<long double>{4, 0, 0, 0, 5, 0, 10, 0, 1}));
    const HostCsr<T> b = csr_from_triplets<T>(backend, 3, 3, i, j, v, Symmetry::symmetric);
    EXPECT_EQ(dense(b), (std::vector<long double>{4, 0, 10, 0, 5, 0, 10, 0, 1}));
}

TYPED_TEST(BuildMatrix, EntryByEntry) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    // Finite elements on a line: what two elements say of the node between them adds up.
    constexpr Index n = 5;
    MatrixBuilder<T> builder(n, n);
    builder.reserve(4 * (n - 1));
    for (Index e = 0; e + 1 < n; ++e) {
        builder.add(e + 1, e, -1);
        builder.add(e, e, 1);
        builder.add(e, e + 1, -1);
        builder.add(e + 1, e + 1, 1);
    }
    EXPECT_EQ(builder.n_entries(), 4 * (n - 1));
    const HostCsr<T> a = builder.build(backend);
    EXPECT_EQ(a.nnz(), 3 * n - 2);
    const std::vector<long double> full = dense(a);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            const int expected = i == j ? (i == 0 || i == n - 1 ? 1 : 2) : (std::abs(i - j) == 1 ? -1 : 0);
            EXPECT_EQ(full[static_cast<std::size_t>(i * n + j)], expected) << i << ' ' << j;
        }
    }
    builder.add(0, 0, 5);
    EXPECT_EQ(dense(builder.build(backend))[0], 6);
}

TYPED_TEST(BuildMatrix, RefusesWhatIsNotThere) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    MatrixBuilder<T> builder(2, 3);
    EXPECT_THROW(builder.add(2, 0, 1), InvalidArgument);
    EXPECT_THROW(builder.add(0, 3, 1), InvalidArgument);
    EXPECT_THROW(builder.add(-1, 0, 1), InvalidArgument);
    EXPECT_THROW(MatrixBuilder<T>(2, 3, Symmetry::symmetric), InvalidArgument);
    EXPECT_EQ(builder.build(backend).nnz(), 0);
    const std::vector<Index> one{0}, two{0, 1};
    const std::vector<T> v{1};
    EXPECT_THROW(csr_from_triplets<T>(backend, 2, 2, one, two, v), InvalidArgument);
    const std::vector<Index> outside{2};
    EXPECT_THROW(csr_from_triplets<T>(backend, 2, 2, one, outside, v), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
