#include "stiefel/dense/check_matrix.hpp"
#include "stiefel/dense/gemm_kernels.hpp"

namespace stiefel {

namespace {

template <class T, class Memory>
StridedMatrix<T> strided(Op op, const MatrixView<const T, Memory>& a) {
    return op == Op::none ? StridedMatrix<T>{a.data, a.ld, 1} : StridedMatrix<T>{a.data, 1, a.ld};
}

}  // namespace

template <class T, class Memory>
GemmArguments<T> gemm_arguments(Op op_a, Op op_b, T alpha, MatrixView<const T, Memory> a, MatrixView<const T, Memory> b,
                                T beta, MatrixView<T, Memory> c) {
    check_matrix("gemm", "A", shape_of(a));
    check_matrix("gemm", "B", shape_of(b));
    check_matrix("gemm", "C", shape_of(c));
    const Index m = op_a == Op::none ? a.n_rows : a.n_cols;
    const Index k = op_a == Op::none ? a.n_cols : a.n_rows;
    const Index k_of_b = op_b == Op::none ? b.n_rows : b.n_cols;
    const Index n = op_b == Op::none ? b.n_cols : b.n_rows;
    check_equal("gemm", "the columns of op(A) must match the rows of op(B)", "op(A)", k, "op(B)", k_of_b);
    check_equal("gemm", "C must have the rows of op(A)", "C", c.n_rows, "op(A)", m);
    check_equal("gemm", "C must have the columns of op(B)", "C", c.n_cols, "op(B)", n);
    check_apart("gemm", "C", shape_of(c), "A", shape_of(a));
    check_apart("gemm", "C", shape_of(c), "B", shape_of(b));
    return {m, n, alpha == T{0} ? 0 : k, alpha, beta, strided(op_a, a), strided(op_b, b), c.data, c.ld};
}

std::string_view to_string(Schedule schedule) {
    switch (schedule) {
        case Schedule::none:
            return "none";
        case Schedule::fixed:
            return "static";
        case Schedule::dynamic:
            return "dynamic";
        case Schedule::guided:
            return "guided";
    }
    return "";
}

template GemmArguments<double> gemm_arguments(Op, Op, double, HostMatrix<const double>, HostMatrix<const double>,
                                              double, HostMatrix<double>);
template GemmArguments<float> gemm_arguments(Op, Op, float, HostMatrix<const float>, HostMatrix<const float>, float,
                                             HostMatrix<float>);
template GemmArguments<double> gemm_arguments(Op, Op, double, DeviceMatrix<const double>, DeviceMatrix<const double>,
                                              double, DeviceMatrix<double>);
template GemmArguments<float> gemm_arguments(Op, Op, float, DeviceMatrix<const float>, DeviceMatrix<const float>, float,
                                             DeviceMatrix<float>);

}  // namespace stiefel
