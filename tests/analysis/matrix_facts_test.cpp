#include "stiefel/analysis/matrix_facts.hpp"

#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {
namespace {

template <class T>
class MatrixFactsOfHost : public ::testing::Test {
protected:
    OpenMP host{2};
};
using TypesOfFacts = ::testing::Types<double, float>;
TYPED_TEST_SUITE(MatrixFactsOfHost, TypesOfFacts);

TYPED_TEST(MatrixFactsOfHost, AreWhatFunctionsOfOneHave) {
    const auto a = random_spd<TypeParam>(this->host, 1000);
    const MatrixFacts facts = matrix_facts(this->host, a, true);
    EXPECT_EQ(facts.rows.longest, row_statistics(this->host, a).longest);
    EXPECT_EQ(facts.rows.mean, row_statistics(this->host, a).mean);
    EXPECT_EQ(facts.diagonal.max_abs, diagonal_entries(this->host, a).max_abs);
    EXPECT_EQ(facts.norm, infinity_norm(this->host, a));
    ASSERT_TRUE(facts.couplings);
    EXPECT_EQ(facts.couplings->mean_strongest, coupling_strength(a, 2).mean_strongest);
    EXPECT_FALSE(matrix_facts(this->host, a).couplings);
}

TYPED_TEST(MatrixFactsOfHost, CouplingsAskForAPositiveDiagonal) {
    using T = TypeParam;
    using RowLists = std::vector<std::vector<std::pair<Index, T>>>;
    for (const RowLists& rows :
         {RowLists{{{0, -1}}, {{1, 1}}}, RowLists{{{0, 0}}, {{1, 1}}}, RowLists{{{1, 1}}, {{0, 1}, {1, 1}}}}) {
        EXPECT_FALSE(matrix_facts(this->host, csr_from_rows<T>(2, rows), true).couplings);
    }
    EXPECT_TRUE(matrix_facts(this->host, csr_from_rows<T>(2, RowLists{{{0, 1}}, {{1, 1}}}), true).couplings);
    EXPECT_TRUE(matrix_facts(this->host, HostCsr<T>{}, true).couplings);
    EXPECT_THROW(static_cast<void>(matrix_facts(this->host, csr_from_rows<T>(3, RowLists{{{0, 1}}, {{1, 1}}}))),
                 InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
