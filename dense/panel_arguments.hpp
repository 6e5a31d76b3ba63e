#pragma once

#include "stiefel/dense/check_matrix.hpp"
#include "stiefel/dense/panel.hpp"

namespace stiefel {

/// Checks as gram() and panel_update() document.
void check_gram(const MatrixShape& p, const MatrixShape& q, const MatrixShape& g);
void check_panel_update(const MatrixShape& x, const MatrixShape& b, const MatrixShape& y);

}  // namespace stiefel
