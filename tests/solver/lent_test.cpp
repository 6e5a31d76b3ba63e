#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_csr.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/lent_csr.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <memory>

// Operands in memory of others: the same bits as in the library's own, in place, and as long as they are held.

namespace stiefel::test {
namespace {

/// Copies of a matrix's arrays, none of which begins where the library's would.
template <class T>
struct OwnArrays {
    explicit OwnArrays(const HostCsr<T>& a) : n(a.n_rows) {
        a.row_ptr.visit([&](const auto* offsets) { row_ptr.assign(offsets, offsets + a.row_ptr.size()); });
        col_idx.assign(1, -7);
        col_idx.insert(col_idx.end(), a.col_idx.begin(), a.col_idx.end());
        values.assign(1, T{-7});
        values.insert(values.end(), a.values.begin(), a.values.end());
    }
    template <class B>
    Csr<T, typename B::memory> lend(B& backend, KeepAlive keep_alive = {}) const {
        return lent_csr(backend, n, n, static_cast<Size>(values.size()) - 1, row_ptr.data(), col_idx.data() + 1,
                        values.data() + 1, std::move(keep_alive));
    }
    Index n;
    std::vector<std::int64_t> row_ptr;
    std::vector<Index> col_idx;
    std::vector<T> values;
};

template <class Case>
class Lent : public ::testing::Test {};
TYPED_TEST_SUITE(Lent, EveryBackendAndType);

TYPED_TEST(Lent, SystemsAreSolvedInPlace) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    OpenMP maker(2);
    const HostCsr<T> own = poisson2d<T>(maker, 70, 30);
    const Index n = own.n_rows;
    const OwnArrays<T> arrays(own);
    const HostVector<T> own_b = random_vector<T>(n, 1);
    HostVector<T> own_x(n, T{0});
    const SolveResult expected = cg(backend, own, own_b, own_x, {.rtol = 1e-5});

    std::vector<T> b(own_b.begin(), own_b.end()), x(static_cast<std::size_t>(n) + 1, T{0});
    const auto a = arrays.lend(backend);
    EXPECT_EQ(a.values.data(), arrays.values.data() + 1);
    const auto lent_b = lent_vector(backend, std::as_const(b).data(), n);
    auto lent_x = lent_vector(backend, x.data() + 1, n);
    const SolveResult result = cg(backend, a, lent_b, lent_x, {.rtol = 1e-5});
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_TRUE(std::equal(own_x.begin(), own_x.end(), x.begin() + 1));
    EXPECT_EQ(x[0], T{0});
}

TYPED_TEST(Lent, PanelsAreSolvedInPlace) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    OpenMP maker(2);
    const HostCsr<T> own = poisson2d<T>(maker, 40, 30);
    const Index n = own.n_rows, k = 8;
    const HostVector<T> own_b = random_vector<T>(Size{n} * k, 1);
    HostMultivector<T> own_x(HostVector<T>(Size{n} * k, T{0}), n, k);
    const auto expected = block_cg(backend, own, HostMultivector<T>(own_b.clone(), n, k), own_x, {.rtol = 1e-4});

    std::vector<T> x(static_cast<std::size_t>(n * k) + 1, T{0}), b(x.size());
    std::copy(own_b.begin(), own_b.end(), b.begin() + 1);
    const HostMultivector<T> lent_b(lent_vector(backend, std::as_const(b).data() + 1, own_b.size()), n, k);
    HostMultivector<T> lent_x(lent_vector(backend, x.data() + 1, own_b.size()), n, k);
    const auto result = block_cg(backend, own, lent_b, lent_x, {.rtol = 1e-4});
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_TRUE(std::equal(own_x.values().begin(), own_x.values().end(), x.begin() + 1));
}

TYPED_TEST(Lent, MatricesAreHeldWhileTheyLive) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    const auto arrays = std::make_shared<const OwnArrays<T>>(random_csr<T>({.n_rows = 50, .n_cols = 50}));
    {
        const auto a = arrays->lend(backend, arrays);
        EXPECT_GT(arrays.use_count(), 1);
    }
    EXPECT_EQ(arrays.use_count(), 1);
}

TYPED_TEST(Lent, BrokenMatricesAreRefusedByRow) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend;
    OpenMP maker(2);
    const OwnArrays<T> right(poisson2d<T>(maker, 100, 100));
    const auto refuses = [&](auto&& spoil, const std::string& part) {
        OwnArrays<T> wrong = right;
        spoil(wrong);
        try {
            static_cast<void>(wrong.lend(backend));
            ADD_FAILURE() << "accepted: " << part;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    EXPECT_NO_THROW(static_cast<void>(right.lend(backend)));
    refuses([](auto& a) { a.row_ptr[0] = 1; }, "from 1 to");
    refuses([](auto& a) { a.row_ptr.back() += 1; }, "not from 0 to the");
    refuses([](auto& a) { a.row_ptr[7000] = a.row_ptr[7001] + 1; }, "offsets of row 7000");
    refuses([](auto& a) { a.row_ptr[70] = 1 << 30; }, "offsets of row 69");
    refuses([](auto& a) { a.row_ptr[70] = -5; }, "offsets of row 69");
    refuses([](auto& a) { a.col_idx[static_cast<std::size_t>(a.row_ptr[5001])] = 10000; }, "columns of row 5000");
    refuses([](auto& a) { a.col_idx[static_cast<std::size_t>(a.row_ptr[5000]) + 1] = -1; }, "columns of row 5000");
    refuses([](auto& a) { std::swap(a.col_idx[1], a.col_idx[2]); }, "columns of row 0");
    refuses([](auto& a) { a.col_idx[2] = a.col_idx[1]; }, "columns of row 0");
}

}  // namespace
}  // namespace stiefel::test
