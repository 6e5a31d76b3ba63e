// A factor of all rows that the first of 1 to 4 ranks has, which are threads.
#include "stiefel/preconditioner/of_all_by_first.hpp"

#include "stiefel/preconditioner/amg/ranks/rank_gather.hpp"
#include "stiefel/preconditioner/cholesky/cholesky.hpp"
#include "support/thread_ranks.hpp"
#include "support/world_suite.hpp"

#include <optional>

namespace stiefel::test {
namespace {

using Factor = Cholesky<OpenMP, double>;
using Shared = OfAllByFirst<OpenMP, double, Factor>;

HostCsr<double> grid() {
    OpenMP host(1);
    return poisson2d<double>(host, 13, 9);
}

/// Of so many columns that lie ld apart, as one process makes it.
HostVector<double> alone(const HostCsr<double>& a, const HostVector<double>& r, Index columns) {
    OpenMP host(1);
    Factor m(host, a);
    m.reserve(host, columns);
    HostVector<double> z(r.size());
    precondition(host, m, MatrixOf<OpenMP, const double>{r.data(), a.n_rows, columns, columns},
                 MatrixOf<OpenMP, double>{z.data(), a.n_rows, columns, columns});
    return z;
}

TEST(OfAllByFirst, IsThatOfOneProcessToTheBit) {
    const HostCsr<double> a = grid();
    for (const Index columns : {1, 3}) {
        const HostVector<double> r = random_vector<double>(a.n_rows * columns, 5);
        const HostVector<double> expected = alone(a, r, columns);
        for (const int n_ranks : {1, 2, 4}) {
            for (const std::uint64_t seed : {1, 2, 3}) {
                SCOPED_TRACE(n_ranks);
                const RowBlocks blocks = random_blocks(a.n_rows, n_ranks, seed);
                in_threads(n_ranks, [&](Ranks& ranks) {
                    OpenMP backend(1);
                    backend.join(ranks);
                    std::optional<Factor> m;
                    if (ranks.rank() == 0) m.emplace(backend, a);
                    Shared shared(ranks, blocks, std::move(m));
                    shared.reserve(backend, columns);
                    const Index n = blocks.n_rows_of(ranks.rank()), ld = columns + 2;
                    const Size first = blocks.first(ranks.rank());
                    // Twice, and rows lie further apart than they are long.
                    HostVector<double> here(Size{n} * ld, 7.0), z(Size{n} * ld, 7.0);
                    for (Index i = 0; i < n; ++i)
                        for (Index j = 0; j < columns; ++j) here[Size{i} * ld + j] = r[(first + i) * columns + j];
                    for (int again = 0; again < 2; ++again)
                        precondition(backend, shared, MatrixOf<OpenMP, const double>{here.data(), n, columns, ld},
                                     MatrixOf<OpenMP, double>{z.data(), n, columns, ld});
                    for (Index i = 0; i < n; ++i) {
                        for (Index j = 0; j < ld; ++j) {
                            const double wanted = j < columns ? expected[(first + i) * columns + j] : 7;
                            EXPECT_EQ(z[Size{i} * ld + j], wanted) << i << ", " << j;
                        }
                    }
                    EXPECT_EQ(shared.epsilon(), preconditioner_epsilon<double>(Factor(backend, a)));
                });
            }
        }
    }
}

TEST(OfAllByFirst, TheFirstIsBroughtTheMatrixAndTheOthersAreNot) {
    const HostCsr<double> a = grid();
    in_threads(3, [&](Ranks& ranks) {
        const RowBlocks blocks = random_blocks(a.n_rows, 3, 8);
        const SplitRows<double> rows = split_rows(rows_of(a, blocks, ranks.rank()), blocks, ranks.rank());
        const HostCsr<double> whole = amg::matrix_of_first(ranks, blocks, rows);
        if (ranks.rank() != 0) {
            EXPECT_EQ(whole.n_rows, 0);
            return;
        }
        ASSERT_EQ(whole.nnz(), a.nnz());
        EXPECT_TRUE(std::equal(whole.col_idx.begin(), whole.col_idx.end(), a.col_idx.begin()));
        EXPECT_TRUE(std::equal(whole.values.begin(), whole.values.end(), a.values.begin()));
    });
}

}  // namespace
}  // namespace stiefel::test
