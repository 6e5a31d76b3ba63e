#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"

#include <algorithm>
#include <vector>

namespace stiefel {

namespace {

/// A row of the product: a place for every column, and which of them the row has.
template <class T>
struct Row {
    std::vector<T> sum;
    std::vector<Index> last_row;  ///< that has the column
    std::vector<Index> columns;

    explicit Row(Index n_cols) : sum(static_cast<std::size_t>(n_cols)), last_row(sum.size(), -1) {}

    void begin() { columns.clear(); }

    void add(Index row, Index column, T term) {
        const auto j = static_cast<std::size_t>(column);
        if (last_row[j] == row) {
            sum[j] += term;
        } else {
            last_row[j] = row;
            sum[j] = term;
            columns.push_back(column);
        }
    }
};

template <class T>
HostVector<T> vector_of(const std::vector<T>& from) {
    HostVector<T> to(static_cast<Size>(from.size()));
    std::ranges::copy(from, to.begin());
    return to;
}

}  // namespace

template <class T>
HostCsr<T> spgemm(Serial&, const HostCsr<T>& a, const HostCsr<T>& b) {
    require(a.n_cols == b.n_rows, "spgemm: A must have as many columns as B has rows");
    std::vector<Size> ends{0};
    std::vector<Index> col_idx;
    std::vector<T> values;
    Row<T> row(b.n_cols);
    a.row_ptr.visit([&](const auto* a_ptr) {
        b.row_ptr.visit([&](const auto* b_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                row.begin();
                for (auto k = a_ptr[i]; k < a_ptr[i + 1]; ++k) {
                    const Index middle = a.col_idx[k];
                    for (auto l = b_ptr[middle]; l < b_ptr[middle + 1]; ++l) {
                        row.add(i, b.col_idx[l], a.values[k] * b.values[l]);
                    }
                }
                std::ranges::sort(row.columns);
                for (const Index j : row.columns) {
                    col_idx.push_back(j);
                    values.push_back(row.sum[static_cast<std::size_t>(j)]);
                }
                ends.push_back(static_cast<Size>(col_idx.size()));
            }
        });
    });
    OpenMP one(1);
    return {.n_rows = a.n_rows,
            .n_cols = b.n_cols,
            .row_ptr = row_offsets(one, vector_of(ends)),
            .col_idx = vector_of(col_idx),
            .values = vector_of(values)};
}

template HostCsr<double> spgemm(Serial&, const HostCsr<double>&, const HostCsr<double>&);
template HostCsr<float> spgemm(Serial&, const HostCsr<float>&, const HostCsr<float>&);

}  // namespace stiefel
