#include "bench/eigen_reference.hpp"

#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

namespace stiefel::bench {

namespace {

using RowMajor = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;

Eigen::Map<const Eigen::VectorXd> view(const HostVector<double>& v) {
    return {v.data(), v.size()};
}

Eigen::Map<Eigen::VectorXd> view(HostVector<double>& v) {
    return {v.data(), v.size()};
}

}  // namespace

struct EigenReference::Matrix {
    Eigen::Map<const RowMajor> a;
};

EigenReference::EigenReference(const HostCsr<double>& a, int threads) {
    Eigen::setNbThreads(threads);
    require(!a.row_ptr.is_wide(), "EigenReference: the matrix has 64-bit row offsets");
    a.row_ptr.visit([&](const auto* row_ptr) {
        if constexpr (std::is_same_v<decltype(row_ptr), const Index*>) {
            matrix_ = std::make_unique<const Matrix>(
                Matrix{{a.n_rows, a.n_cols, a.nnz(), row_ptr, a.col_idx.data(), a.values.data()}});
        }
    });
}

EigenReference::~EigenReference() = default;

void EigenReference::spmv(const HostVector<double>& x, HostVector<double>& y) const {
    view(y).noalias() = matrix_->a * view(x);
}

void EigenReference::spmm(const HostVector<double>& x, HostVector<double>& y, Index k) const {
    using Panel = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Panel> from(x.data(), x.size() / k, k);
    Eigen::Map<Panel> to(y.data(), y.size() / k, k);
    to.noalias() = matrix_->a * from;
}

Size EigenReference::multiply(const EigenReference& b) const {
    const RowMajor c = matrix_->a * b.matrix_->a;
    return c.nonZeros();
}

Size EigenReference::multiply_inside(const EigenReference& b) const {
    const RowMajor c = matrix_->a * b.matrix_->a;
    const RowMajor transposed = b.matrix_->a.transpose();
    const RowMajor inside = transposed * c;
    return inside.nonZeros();
}

void EigenReference::cg(const HostVector<double>& b, HostVector<double>& x, int iterations) const {
    Eigen::ConjugateGradient<RowMajor, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver;
    solver.setTolerance(0);
    solver.setMaxIterations(iterations);
    solver.compute(matrix_->a);
    view(x) = solver.solveWithGuess(view(b), view(x));
}

}  // namespace stiefel::bench
