#pragma once

#include "bench/eigen_reference.hpp"
#include "bench/products.hpp"

namespace stiefel::bench {

/// A product by Eigen, whose operands must outlive it.
class EigenProduct {
public:
    EigenProduct(const Product& product, int threads)
        : is_inside_(product.right != nullptr),
          middle_(*product.middle, threads),
          right_(is_inside_ ? *product.right : *product.middle, threads) {}

    /// Multiplies, and says how many nonzeros came out.
    Size nnz() const { return is_inside_ ? middle_.multiply_inside(right_) : middle_.multiply(right_); }

private:
    bool is_inside_;
    EigenReference middle_, right_;
};

}  // namespace stiefel::bench
