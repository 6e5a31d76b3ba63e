#pragma once

#include "bench/products.hpp"
#include "bench/suites/lazy.hpp"
#include "bench/suites/suite.hpp"

#include <memory>

namespace stiefel::bench {

/// One of the products of a matrix, not made yet, and what is the same in all of its cases.
struct SuiteProduct {
    Labels labels;
    double weight = 1;
    std::shared_ptr<Lazy<ProductOperands>> operands;
    std::shared_ptr<Lazy<ProductReference>> reference;
    std::size_t number = 0;          ///< among products()
    bool has_symmetric_way = false;  ///< P'(A P), which galerkin_product() takes as X + X'

    Product get() const { return products(operands->get())[number]; }
};

/// Notes what is known of the product before anything computes it.
void describe_product_of_matrices(const SuiteProduct& product, CaseRecord& record);

/// Throws WrongResult unless it is the product, entry by entry.
void check_product_of_matrices(const SuiteProduct& product, const HostCsr<double>& found, CaseRecord& record);

/// The labels of a kernel's case.
Labels product_labels(const SuiteProduct& product, const Labels& backend, std::string_view kernel);

/// Every way on a device, cuSPARSE beside them. In a program with CUDA only.
void add_device_products(const SuiteProduct& product, const std::shared_ptr<Cuda>& backend, std::vector<Case>& cases);

}  // namespace stiefel::bench
