#pragma once

#include "bench/ladder.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// What products of sparse matrices are timed on: A and a smoothed prolongation P of it, as multigrid's setup has them.
struct ProductOperands {
    HostCsr<double> a, p, r;  ///< r = P'

    ProductOperands(OpenMP& backend, HostCsr<double> matrix);
};

/// A product that is timed: of `left` and `middle`, and the result of `right` where there is one: left (middle right).
struct Product {
    std::string name;
    const HostCsr<double>* left;
    const HostCsr<double>* middle;
    const HostCsr<double>* right = nullptr;

    /// multiply(x, y) for operands that `as` makes of ours.
    template <class As, class Multiply>
    auto run(As&& as, Multiply&& multiply) const {
        if (right == nullptr) return multiply(as(*left), as(*middle));
        return multiply(as(*left), multiply(as(*middle), as(*right)));
    }

    /// By spgemm(), of Serial or OpenMP.
    template <class B>
    HostCsr<double> on_host(B& backend) const;
};

/// A A and P'(A P).
std::vector<Product> products(const ProductOperands& operands);

/// Terms that are added up in A B: an entry of A brings the row of B with the number of its column.
double terms_of_product(const HostCsr<double>& a, const HostCsr<double>& b);

/// What must come out, row by row on one thread, summed in extended precision.
class ProductReference {
public:
    explicit ProductReference(const Product& product);

    /// Two flops a term; operands are read once, and the result is written.
    const Work& work() const { return work_; }
    Size nnz() const { return exact_.nnz(); }

    /// Of a product from it, beside the sums of absolute terms; another pattern is never accepted.
    Deviation deviation(const HostCsr<double>& found) const;

private:
    HostCsr<double> exact_, absolute_;
    Work work_;
    Size terms_of_an_entry_ = 0;  // at most
};

}  // namespace stiefel::bench
