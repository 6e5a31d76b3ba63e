#pragma once

#include "stiefel/core/matrix_view.hpp"

#include <string_view>

namespace stiefel {

/// A view without its types: what the checks of arguments look at.
struct MatrixShape {
    const void* data = nullptr;
    Size n_rows = 0;
    Size n_cols = 0;
    Size ld = 0;
    Size element_bytes = 0;
};

template <class T, class Memory>
MatrixShape shape_of(const MatrixView<T, Memory>& a) {
    return {a.data, a.n_rows, a.n_cols, a.ld, static_cast<Size>(sizeof(T))};
}

/// Throws InvalidArgument, naming function and argument, unless sizes are not negative, ld >= max(1, n_cols), the bytes
/// from the first to the last element can be counted, and data is there unless the matrix is empty.
void check_matrix(std::string_view function, std::string_view name, const MatrixShape& a);

/// Whether the matrices share an element. Exact if they have one ld and element type (columns of one wide array are
/// then told apart); otherwise whether their address ranges meet.
bool overlap(const MatrixShape& a, const MatrixShape& b);

/// Throws InvalidArgument if the matrices overlap.
void check_apart(std::string_view function, std::string_view a_name, const MatrixShape& a, std::string_view b_name,
                 const MatrixShape& b);

/// Throws InvalidArgument "FUNCTION: WHAT (A_NAME: a, B_NAME: b)" unless a == b.
void check_equal(std::string_view function, std::string_view what, std::string_view a_name, Size a,
                 std::string_view b_name, Size b);

}  // namespace stiefel
