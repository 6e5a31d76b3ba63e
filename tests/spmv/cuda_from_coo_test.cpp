#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/matrix_builder.hpp"

#include "support/cuda.hpp"
#include "support/formats.hpp"

#include <algorithm>
#include <cstring>

// CSR made on the device from entries: the bits of the host, whatever the order, the length of rows, the duplicates.

namespace stiefel::test {
namespace {

template <class T>
bool same_bits(const HostVector<T>& a, const HostVector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

template <class T>
bool same_offsets(const HostCsr<T>& a, const HostCsr<T>& b) {
    return a.row_ptr.visit([&](const auto* x) {
        return b.row_ptr.visit([&](const auto* y) {
            return a.row_ptr.size() == b.row_ptr.size() && std::equal(x, x + a.row_ptr.size(), y);
        });
    });
}

template <class T>
class CudaFromCoo : public OnCuda {
protected:
    void check(const Coo<T>& coo) {
        OpenMP host(3);
        const CsrFromCoo<T> expected = csr_from_coo(host, coo);
        const auto made = csr_from_coo(this->backend(), coo);
        const HostCsr<T> csr = stiefel::to_host(this->backend(), made.csr);
        EXPECT_EQ(made.n_duplicates, expected.n_duplicates);
        EXPECT_EQ(csr.n_rows, expected.csr.n_rows);
        EXPECT_EQ(csr.n_cols, expected.csr.n_cols);
        EXPECT_TRUE(same_offsets(csr, expected.csr));
        EXPECT_TRUE(same_bits(csr.col_idx, expected.csr.col_idx));
        EXPECT_TRUE(same_bits(csr.values, expected.csr.values));
        const CsrShares brought = stiefel::to_device(this->backend(), expected.csr).shares;
        EXPECT_EQ(made.csr.shares.longest_row, brought.longest_row);
        EXPECT_EQ(made.csr.shares.n_shares, brought.n_shares);
    }

    /// Random entries, few or many to a place, rows of very different length, values of very different size.
    Coo<T> random_coo(Index n, Size n_entries, Symmetry symmetry, Index heavy_rows, std::uint64_t seed) {
        Random random(seed);
        Coo<T> coo{.n_rows = n, .n_cols = n, .symmetry = symmetry};
        coo.row_idx = HostVector<Index>(n_entries);
        coo.col_idx = HostVector<Index>(n_entries);
        coo.values = HostVector<T>(n_entries);
        for (Size e = 0; e < n_entries; ++e) {
            const Index row = random.below(e % 2 == 0 ? heavy_rows : n);
            const Index col = random.below(n);
            const bool lower = symmetry != Symmetry::general;
            coo.row_idx[e] = lower ? std::max(row, col) : row;
            coo.col_idx[e] = lower ? std::min(row, col) : col;
            coo.values[e] = static_cast<T>(random() * std::pow(10.0, random.below(12)));
        }
        return coo;
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaFromCoo, Types);

TYPED_TEST(CudaFromCoo, SmallOnes) {
    using T = TypeParam;
    this->check(Coo<T>{});
    this->check(Coo<T>{.n_rows = 3, .n_cols = 5});
    for (const Symmetry symmetry : {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric}) {
        for (const Index n : {1, 2, 31, 33, 400}) {
            if (symmetry == Symmetry::skew_symmetric && n == 1) continue;
            for (const Size entries : {1, 7, 300, 5000}) this->check(this->random_coo(n, entries, symmetry, 1, 5));
        }
    }
}

/// Rows for some lanes, for a warp, for a block's shared memory and beyond it, many duplicates and none.
TYPED_TEST(CudaFromCoo, RowsOfEveryLength) {
    for (const Symmetry symmetry : {Symmetry::general, Symmetry::symmetric}) {
        this->check(this->random_coo(100000, 300000, symmetry, 100000, 1));
        this->check(this->random_coo(30000, 400000, symmetry, 300, 2));
        this->check(this->random_coo(60000, 200000, symmetry, 3, 3));
        this->check(this->random_coo(100, 100000, symmetry, 4, 4));
    }
}

TYPED_TEST(CudaFromCoo, FilesInOrderAndShuffled) {
    using T = TypeParam;
    OpenMP host(3);
    const auto a = random_csr<T>({.n_rows = 20000, .n_cols = 20000, .mean_row = 12, .full_row = 77});
    for (const bool lower : {false, true}) this->check(coo_from_csr(host, a, lower));
}

TYPED_TEST(CudaFromCoo, RefusesEntriesOutside) {
    using T = TypeParam;
    const std::vector<Index> i{0, 1, 5, 7}, j{0, 1, 1, 1};
    const std::vector<T> v{1, 1, 1, 1};
    try {
        static_cast<void>(csr_from_triplets<T>(this->backend(), 4, 4, i, j, v));
        FAIL() << "took an entry outside of the matrix";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("entry 2 is at row 5"), std::string::npos) << error.what();
    }
    EXPECT_THROW(csr_from_coo(this->backend(), Coo<T>{.n_rows = 2, .n_cols = 3, .symmetry = Symmetry::symmetric}),
                 InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
