#include "stiefel/preconditioner/amg/block_matrix.hpp"

#include "stiefel/preconditioner/amg/build_blocks.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

BlockMatrix to_blocks(OpenMP& backend, const HostCsr<double>& a, Index size) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        BlockMatrix blocks;
        // Division by a constant takes a fraction of the time.
        with_width(size, [&](auto constant) {
            const Index s = constant > 0 ? Index{constant} : size;
            const auto for_columns = [&, s](Index node, auto&& see) {
                for (Size k = row_ptr[Size{node} * s]; k < row_ptr[Size{node + 1} * s]; ++k) see(a.col_idx[k] / s);
            };
            const auto fill = [&, s](Index node, const BlockRow& to) {
                for (Index c = 0; c < s; ++c) {
                    const Size row = Size{node} * s + c;
                    for (Size k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
                        to(a.col_idx[k] / s)[c * s + a.col_idx[k] % s] += a.values[k];
                    }
                }
            };
            blocks = build_blocks(backend, a.n_rows / s, a.n_cols / s, s, s, for_columns, fill);
        });
        return blocks;
    });
}

HostCsr<double> to_csr(OpenMP& backend, const BlockMatrix& a) {
    HostVector<Size> ends(Size{a.n_rows} * a.height + 1);
    HostCsr<double> csr{.n_rows = a.n_rows * a.height,
                        .n_cols = a.n_cols * a.width,
                        .row_ptr = {},
                        .col_idx = HostVector<Index>(a.values.size()),
                        .values = HostVector<double>(a.values.size())};
    ends[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Index node = 0; node < a.n_rows; ++node) {
        const Size n_blocks = a.row_ptr[Size{node} + 1] - a.row_ptr[node];
        Size to = a.row_ptr[node] * a.block_size();
        for (Index i = 0; i < a.height; ++i) {
            for (Size k = 0; k < n_blocks; ++k) {
                const Size block = a.row_ptr[node] + k;
                for (Index j = 0; j < a.width; ++j, ++to) {
                    csr.col_idx[to] = a.col_idx[block] * a.width + j;
                    csr.values[to] = a.block(block)[i * a.width + j];
                }
            }
            ends[Size{node} * a.height + i + 1] = to;
        }
    }
    csr.row_ptr = row_offsets(backend, std::move(ends));
    return csr;
}

BlockMatrix transpose(OpenMP& backend, const BlockMatrix& a) {
    BlockMatrix t{.n_rows = a.n_cols,
                  .n_cols = a.n_rows,
                  .height = a.width,
                  .width = a.height,
                  .row_ptr = HostVector<Size>(Size{a.n_cols} + 1, 0),
                  .col_idx = HostVector<Index>(a.col_idx.size()),
                  .values = HostVector<double>(a.values.size())};
    for (const Index column : a.col_idx.span()) ++t.row_ptr[Size{column} + 1];
    inclusive_scan(backend, t.row_ptr.data(), t.row_ptr.size());
    HostVector<Size> end(a.n_cols), from(a.col_idx.size());
    for (Index column = 0; column < a.n_cols; ++column) end[column] = t.row_ptr[column];
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Size k = a.row_ptr[i]; k < a.row_ptr[Size{i} + 1]; ++k) {
            const Size to = end[a.col_idx[k]]++;
            t.col_idx[to] = i;
            from[to] = k;
        }
    }
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size k = 0; k < from.size(); ++k) {
        const double* const block = a.block(from[k]);
        for (Index i = 0; i < a.height; ++i) {
            for (Index j = 0; j < a.width; ++j) t.block(k)[j * a.height + i] = block[i * a.width + j];
        }
    }
    return t;
}

BlockMatrix product(OpenMP& backend, const BlockMatrix& a, const BlockMatrix& b) {
    const auto for_columns = [&](Index i, auto&& see) {
        for (Size k = a.row_ptr[i]; k < a.row_ptr[Size{i} + 1]; ++k) {
            const Size j = a.col_idx[k];
            for (Size l = b.row_ptr[j]; l < b.row_ptr[j + 1]; ++l) see(b.col_idx[l]);
        }
    };
    BlockMatrix c;
    with_product_shape(a.height, a.width, b.width, [&](auto square, auto width) {
        const auto fill = [&](Index i, const BlockRow& row) {
            for (Size k = a.row_ptr[i]; k < a.row_ptr[Size{i} + 1]; ++k) {
                const Size j = a.col_idx[k];
                for (Size l = b.row_ptr[j]; l < b.row_ptr[j + 1]; ++l) {
                    add_block_product<square, width>(a.height, a.width, b.width, a.block(k), b.block(l),
                                                     row(b.col_idx[l]));
                }
            }
        };
        c = build_blocks(backend, a.n_rows, b.n_cols, a.height, b.width, for_columns, fill);
    });
    return c;
}

HostCsr<double> block_norms(OpenMP& backend, const BlockMatrix& a) {
    HostCsr<double> norms{.n_rows = a.n_rows,
                          .n_cols = a.n_cols,
                          .row_ptr = {},
                          .col_idx = HostVector<Index>(a.col_idx.size()),
                          .values = HostVector<double>(a.col_idx.size())};
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size k = 0; k < a.col_idx.size(); ++k) {
        double largest = 0, sum = 0;  // of entries as large as the range goes
        for (Size e = 0; e < a.block_size(); ++e) largest = std::max(largest, std::abs(a.block(k)[e]));
        for (Size e = 0; e < a.block_size() && largest > 0; ++e) sum += std::pow(a.block(k)[e] / largest, 2);
        norms.col_idx[k] = a.col_idx[k];
        norms.values[k] = largest * std::sqrt(sum);
    }
    HostVector<Size> ends(a.row_ptr.size());
    for (Size i = 0; i < ends.size(); ++i) ends[i] = a.row_ptr[i];
    norms.row_ptr = row_offsets(backend, std::move(ends));
    return norms;
}

}  // namespace stiefel::amg
