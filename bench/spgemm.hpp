#pragma once

#include "bench/ladder.hpp"
#include "bench/setting.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// What products of sparse matrices are timed on: A and a smoothed prolongation P of it, as multigrid's setup has them.
struct ProductOperands {
    HostCsr<double> a, p, r;  ///< r = P'

    ProductOperands(OpenMP& backend, const Setting& setting);
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
};

/// A A and P'(A P).
std::vector<Product> products(const ProductOperands& operands);

/// The ladder of one product, without rungs. Work: two flops a term.
Ladder product_ladder(OpenMP& backend, const Product& product, const std::string& where);

/// Of our product from the host's.
Deviation product_deviation(OpenMP& backend, const Product& product, const HostCsr<double>& found);

int run_spgemm(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
