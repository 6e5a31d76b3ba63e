#include "stiefel/dense/check_matrix.hpp"
#include "stiefel/dense/transpose_kernels.hpp"

namespace stiefel {

template <class T, class Memory>
void check_transpose(const MatrixView<const T, Memory>& a, const MatrixView<T, Memory>& b) {
    check_matrix("transpose", "A", shape_of(a));
    check_matrix("transpose", "B", shape_of(b));
    check_equal("transpose", "B must have as many rows as A has columns", "B", b.n_rows, "A", a.n_cols);
    check_equal("transpose", "B must have as many columns as A has rows", "B", b.n_cols, "A", a.n_rows);
    check_apart("transpose", "B", shape_of(b), "A", shape_of(a));
}

template void check_transpose(const HostMatrix<const double>&, const HostMatrix<double>&);
template void check_transpose(const HostMatrix<const float>&, const HostMatrix<float>&);
template void check_transpose(const DeviceMatrix<const double>&, const DeviceMatrix<double>&);
template void check_transpose(const DeviceMatrix<const float>&, const DeviceMatrix<float>&);

}  // namespace stiefel
