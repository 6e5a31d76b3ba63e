#include "support/accuracy_suite.hpp"
#include "support/backends.hpp"
#include "support/cg_ends.hpp"
#include "support/cuda_cg_loops.hpp"

#include <type_traits>

namespace stiefel::test {
namespace {

template <class T>
class CudaCgEnds : public CudaCgLoops<T> {};
TYPED_TEST_SUITE(CudaCgEnds, EveryType);

TYPED_TEST(CudaCgEnds, LateEndsInOneBlock) {
    check_late_ends<TypeParam>(1, this->resident());
    check_late_ends<TypeParam>(1, this->streamed());
    check_late_ends<TypeParam>(1, this->partly_streamed(0.6));
    check_late_ends<TypeParam>(1, this->factored());
    check_late_ends<TypeParam>(1, this->of_one_matrix());
}

TYPED_TEST(CudaCgEnds, LateEndsInManyBlocks) {
    check_late_ends<TypeParam>(41, this->resident());
    check_late_ends<TypeParam>(41, this->streamed());
    check_late_ends<TypeParam>(41, this->partly_streamed(1.5));
    check_late_ends<TypeParam>(41, this->factored());
    check_late_ends<TypeParam>(41, this->of_one_matrix());
}

TYPED_TEST(CudaCgEnds, LateEndsInAGraph) {
    for (const int copies : {1, 41}) check_late_ends<TypeParam>(copies, this->by_graph());
}

TYPED_TEST(CudaCgEnds, AnOverflowOnTheWayIsNoEnd) {
    if constexpr (std::is_same_v<TypeParam, double>) {
        check_overflow_on_the_way(this->resident());
        check_overflow_on_the_way(this->streamed());
        check_overflow_on_the_way(this->partly_streamed(2.4));
        check_overflow_on_the_way(this->factored());
        check_overflow_on_the_way(this->of_one_matrix());
        check_overflow_on_the_way(this->by_graph());
    }
}

TYPED_TEST(CudaCgEnds, SystemsOfAllSizesAreSolved) {
    check_sizes_of_a_and_b<TypeParam>(this->resident());
    check_sizes_of_a_and_b<TypeParam>(this->streamed());
    check_sizes_of_a_and_b<TypeParam>(this->partly_streamed(0.6));
    check_sizes_of_a_and_b<TypeParam>(this->factored());
    check_sizes_of_a_and_b<TypeParam>(this->of_one_matrix());
    check_sizes_of_a_and_b<TypeParam>(this->by_graph());
}

TYPED_TEST(CudaCgEnds, TheWidestDiagonalIsNotCalledIndefinite) {
    if constexpr (std::is_same_v<TypeParam, double>) {
        check_widest_diagonal(this->by_graph());
        check_widest_diagonal(this->streamed());
        check_widest_diagonal(this->partly_streamed(1.5));
    }
}

TYPED_TEST(CudaCgEnds, EvidenceIsToldApart) {
    check_evidence<TypeParam>(this->resident());
    check_evidence<TypeParam>(this->streamed());
    check_evidence<TypeParam>(this->partly_streamed(2.4));
    check_evidence<TypeParam>(this->factored());
    check_evidence<TypeParam>(this->of_one_matrix());
    check_evidence<TypeParam>(this->by_graph());
}

TYPED_TEST(CudaCgEnds, WhatComesBackIsNotWorseThanTheGuess) {
    check_the_better_x<TypeParam>(this->resident());
    check_the_better_x<TypeParam>(this->streamed());
    check_the_better_x<TypeParam>(this->partly_streamed(0.6));
    check_the_better_x<TypeParam>(this->factored());
    check_the_better_x<TypeParam>(this->of_one_matrix());
    check_the_better_x<TypeParam>(this->by_graph());
}

TYPED_TEST(CudaCgEnds, TheConditionIsThatOfMA) {
    check_condition<TypeParam>(this->resident());
    check_condition<TypeParam>(this->streamed());
    check_condition<TypeParam>(this->partly_streamed(1.5));
    check_condition<TypeParam>(this->factored());
    check_condition<TypeParam>(this->of_one_matrix());
    check_condition<TypeParam>(this->by_graph());
    check_no_condition<TypeParam>(this->resident());
    check_no_condition<TypeParam>(this->streamed());
    check_no_condition<TypeParam>(this->partly_streamed(2.4));
    check_no_condition<TypeParam>(this->factored());
    check_no_condition<TypeParam>(this->of_one_matrix());
    check_no_condition<TypeParam>(this->by_graph());
}

TYPED_TEST(CudaCgEnds, TheBackwardErrorIsRightForAllSizes) {
    check_backward_error<TypeParam>(this->resident());
    check_backward_error<TypeParam>(this->streamed());
    check_backward_error<TypeParam>(this->partly_streamed(0.6));
    check_backward_error<TypeParam>(this->factored());
    check_backward_error<TypeParam>(this->of_one_matrix());
    check_backward_error<TypeParam>(this->by_graph());
}

TYPED_TEST(CudaCgEnds, WhatThePrecisionAllowsIsCalledSo) {
    check_attained<TypeParam>(this->resident());
    check_attained<TypeParam>(this->streamed());
    check_attained<TypeParam>(this->partly_streamed(1.5));
    check_attained<TypeParam>(this->factored());
    check_attained<TypeParam>(this->of_one_matrix());
    check_attained<TypeParam>(this->by_graph());
    check_not_attained<TypeParam>(this->by_graph());
}

}  // namespace
}  // namespace stiefel::test
