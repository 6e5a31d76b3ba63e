#include "stiefel/dense/panel_arguments.hpp"

#include <fmt/format.h>

namespace stiefel {

namespace {

void check_panel(std::string_view function, std::string_view name, const MatrixShape& a) {
    check_matrix(function, name, a);
    if (a.n_cols > max_panel_columns) {
        throw InvalidArgument(fmt::format("{}: {} has {} columns; a panel has at most {}, use gemm for more", function,
                                          name, a.n_cols, max_panel_columns));
    }
}

}  // namespace

void check_gram(const MatrixShape& p, const MatrixShape& q, const MatrixShape& g) {
    check_panel("gram", "P", p);
    check_panel("gram", "Q", q);
    check_matrix("gram", "G", g);
    check_equal("gram", "P and Q must have the same number of rows", "P", p.n_rows, "Q", q.n_rows);
    check_equal("gram", "G must have as many rows as P has columns", "G", g.n_rows, "P", p.n_cols);
    check_equal("gram", "G must have as many columns as Q", "G", g.n_cols, "Q", q.n_cols);
    check_apart("gram", "G", g, "P", p);
    check_apart("gram", "G", g, "Q", q);
}

void check_panel_update(const MatrixShape& x, const MatrixShape& b, const MatrixShape& y) {
    check_panel("panel_update", "X", x);
    check_matrix("panel_update", "B", b);
    check_panel("panel_update", "Y", y);
    check_equal("panel_update", "B must have as many rows as X has columns", "B", b.n_rows, "X", x.n_cols);
    check_equal("panel_update", "Y must have as many columns as B", "Y", y.n_cols, "B", b.n_cols);
    check_equal("panel_update", "Y must have as many rows as X", "Y", y.n_rows, "X", x.n_rows);
    check_apart("panel_update", "Y", y, "X", x);
    check_apart("panel_update", "Y", y, "B", b);
}

}  // namespace stiefel
