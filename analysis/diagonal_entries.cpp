#include "stiefel/analysis/diagonal_entries.hpp"

#include "stiefel/analysis/reduce_rows.hpp"

namespace stiefel {

template <class T>
DiagonalEntries diagonal_entries(OpenMP& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "diagonal_entries: A must be square");
    return a.row_ptr.visit([&](const auto* row_ptr) -> DiagonalEntries {
        return reduce_rows<PartialDiagonal>(backend, a.n_rows, [&](Index row, PartialDiagonal& partial) {
            partial.add_row(row, row_ptr, a.col_idx.data(), a.values.data());
        });
    });
}

template DiagonalEntries diagonal_entries(OpenMP&, const HostCsr<double>&);
template DiagonalEntries diagonal_entries(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel
