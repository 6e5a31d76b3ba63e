#pragma once

#include "stiefel/spmv/csr.hpp"

#include <memory>

namespace stiefel::bench {

/// Eigen's row-major SparseMatrix with OpenMP on our CSR arrays, which it shares; A must outlive it and have 32-bit
/// row offsets.
class EigenReference {
public:
    EigenReference(const HostCsr<double>& a, int threads);
    ~EigenReference();

    /// y = A x
    void spmv(const HostVector<double>& x, HostVector<double>& y) const;

    /// Y = A X for row-major panels of k columns.
    void spmm(const HostVector<double>& x, HostVector<double>& y, Index k) const;

    /// `iterations` iterations of Eigen::ConjugateGradient<RowMajor, Lower | Upper, IdentityPreconditioner> from x.
    void cg(const HostVector<double>& b, HostVector<double>& x, int iterations) const;

    /// Nonzeros of A B, and of B' (A B).
    Size multiply(const EigenReference& b) const;
    Size multiply_inside(const EigenReference& b) const;

private:
    struct Matrix;
    std::unique_ptr<const Matrix> matrix_;
};

}  // namespace stiefel::bench
