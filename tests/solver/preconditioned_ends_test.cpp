#include "support/preconditioned_ends.hpp"
#include "support/backends.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class PreconditionedEnd : public ::testing::Test {
protected:
    typename Case::backend backend;
    PreconditionedEnds<typename Case::backend, typename Case::type> ends{backend};
};
TYPED_TEST_SUITE(PreconditionedEnd, EveryBackendAndType);

TYPED_TEST(PreconditionedEnd, LateEndsAreNamed) {
    this->ends.late_ends_are_named();
}

TYPED_TEST(PreconditionedEnd, ComesWhenItIsAsked) {
    this->ends.ends_when_it_is_asked(0);
}

TYPED_TEST(PreconditionedEnd, ComesWhenTheTimeIsUp) {
    this->ends.ends_when_the_time_is_up(0);
}

TYPED_TEST(PreconditionedEnd, LateEndsOfBlocksAreNamed) {
    this->ends.late_ends_of_blocks_are_named();
}

TYPED_TEST(PreconditionedEnd, BlocksEndWhenTheyAreAsked) {
    this->ends.blocks_end_when_they_are_asked();
}

TYPED_TEST(PreconditionedEnd, BlocksKnowAPreconditionerThatIsNotPositive) {
    this->ends.blocks_know_a_preconditioner_that_is_not_positive();
}

}  // namespace
}  // namespace stiefel::test
