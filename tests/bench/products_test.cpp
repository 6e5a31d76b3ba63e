#include "bench/products.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiefel::bench {

namespace {

TEST(Products, TheReferenceAcceptsWhatIsRightAndRefusesAnyEntryThatIsNot) {
    OpenMP host(2);
    const ProductOperands operands(host, poisson2d<double>(host, 12, 9));
    for (const Product& product : products(operands)) {
        const ProductReference reference(product);
        HostCsr<double> c = product.on_host(host);
        EXPECT_TRUE(reference.deviation(c).accepted) << product.name;
        EXPECT_EQ(reference.nnz(), c.nnz());
        for (const Size place : {Size{0}, c.nnz() - 1}) {
            const double right = c.values[place];
            for (const double wrong : {right + 1e-10, std::numeric_limits<double>::quiet_NaN()}) {
                c.values[place] = wrong;
                EXPECT_FALSE(reference.deviation(c).accepted) << product.name << ": " << wrong << " at " << place;
            }
            c.values[place] = right;
        }
        EXPECT_FALSE(reference.deviation(operands.p).accepted) << "another pattern";
    }
    const Product inside = products(operands)[1];
    EXPECT_TRUE(ProductReference(inside)
                    .deviation(galerkin_product(host, *inside.middle, *inside.right, *inside.left))
                    .accepted);
}

/// Two full rows of two: each of four entries of A brings a row of two.
TEST(Products, TermsAreCounted) {
    OpenMP host(1);
    const HostCsr<double> a = poisson1d<double>(host, 2);
    EXPECT_EQ(terms_of_product(a, a), 8);
    const ProductOperands operands(host, poisson1d<double>(host, 2));
    EXPECT_EQ(ProductReference(products(operands)[0]).work().flops, 16);
}

}  // namespace

}  // namespace stiefel::bench
