#include "stiefel/problems/build_csr.hpp"

#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {
namespace {

/// Row i holds i % 5 entries, in columns 0, 2, 4, ...
constexpr auto some_rows = [](Index i, const auto& emit) {
    for (Index j = 0; j < i % 5; ++j) emit(2 * j, i + 0.5 * j);
};

TEST(BuildCsr, WritesWhatRowsEmit) {
    for (int threads : {1, 2, 3, 7}) {
        OpenMP backend(threads);
        for (Index n : {0, 1, 31, 32, 33, 1000, 1024, 2049}) {
            std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
            for (Index i = 0; i < n; ++i) {
                some_rows(i, [&](Size column, double value) {
                    rows[static_cast<std::size_t>(i)].emplace_back(static_cast<Index>(column), value);
                });
            }
            EXPECT_TRUE(bit_equal(build_csr<double>(backend, n, 9, some_rows), csr_from_rows<double>(9, rows))) << n;
        }
    }
}

// Matrices beyond 2^31 entries do not fit a test; their offsets are written by the same code.
TEST(BuildCsr, WritesWideOffsetsToo) {
    OpenMP backend(2);
    const auto narrow = build_csr<double>(backend, 2000, 9, some_rows);
    HostVector<Size> block_ptr(3);
    narrow.row_ptr.visit([&](const auto* row_ptr) {
        block_ptr[0] = 0;
        block_ptr[1] = row_ptr[generated_block];
        block_ptr[2] = narrow.nnz();
    });
    HostCsr<double> wide{.n_rows = 2000,
                         .n_cols = 9,
                         .row_ptr = {},
                         .col_idx = HostVector<Index>(narrow.nnz()),
                         .values = HostVector<double>(narrow.nnz())};
    HostVector<std::int64_t> row_ptr(Size{wide.n_rows} + 1);
    write_blocks(backend, some_rows, Index{0}, wide.n_rows, block_ptr, row_ptr.data(), wide.col_idx.data(),
                 wide.values.data());
    wide.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    EXPECT_TRUE(bit_equal(wide, with_wide_offsets(narrow)));
}

}  // namespace
}  // namespace stiefel::test
