#include "stiefel/cli/value_range.hpp"

#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/cli/single_range.hpp"

#include <utility>

namespace stiefel::cli {

template <>
RangedMatrix<double> read_matrix_in_range(const std::string& path, int threads) {
    return {read_matrix<double>(path, {.threads = threads}), 0};
}

template <>
RangedMatrix<float> read_matrix_in_range(const std::string& path, int threads) {
    OpenMP host(threads);
    MatrixMarket<double> wide =
        is_generated(path) ? generated_file(host, path) : read_matrix<double>(path, {.threads = threads});
    const SingleRange range(largest_of(wide.coo.values, threads));
    range.check_diagonal(wide.coo, path);
    HostVector<float> values(wide.coo.values.size());
    const Size n_rounded = range.bring(wide.coo.values, values, threads);
    MatrixMarket<float> file{.header = std::move(wide.header),
                             .coo = {.n_rows = wide.coo.n_rows,
                                     .n_cols = wide.coo.n_cols,
                                     .symmetry = wide.coo.symmetry,
                                     .row_idx = std::move(wide.coo.row_idx),
                                     .col_idx = std::move(wide.coo.col_idx),
                                     .values = std::move(values)},
                             .notes = std::move(wide.notes)};
    range.note(file.header.field == MatrixMarketField::integer, n_rounded, file.notes);
    return {std::move(file), range.exponent()};
}

template <>
DenseArray<double> brought_into_range(DenseArray<double> vectors, int, const std::string&) {
    return vectors;
}

template <>
DenseArray<float> brought_into_range(DenseArray<double> vectors, int exponent, const std::string& name) {
    DenseArray<float> result{vectors.n_rows, vectors.n_cols, HostVector<float>(vectors.values.size())};
    for (Index j = 0; j < vectors.n_cols && !vectors.values.empty(); ++j) {
        const Size first = Size{j} * vectors.n_rows;
        BroughtColumn::bring(exponent, vectors.values.data() + first, vectors.n_rows, result.values.data() + first)
            .check(j, name);
    }
    return result;
}

}  // namespace stiefel::cli
