#include "support/backends.hpp"
#include "support/preconditioned_cg_suite.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class PreconditionedCg : public ::testing::Test {
protected:
    typename Case::backend backend;
    PreconditionedCgSuite<typename Case::backend, typename Case::type> suite{backend};
};
TYPED_TEST_SUITE(PreconditionedCg, EveryBackendAndType);

TYPED_TEST(PreconditionedCg, TakesTheStepsOfTheFusedPath) {
    this->suite.takes_the_steps_of_the_fused_path();
}

TYPED_TEST(PreconditionedCg, TakesTheDotThatIsGiven) {
    this->suite.takes_the_dot_that_is_given();
}

TYPED_TEST(PreconditionedCg, ChebyshevCutsTheIterations) {
    this->suite.chebyshev_cuts_the_iterations();
}

TYPED_TEST(PreconditionedCg, NamesTheReasonsToStop) {
    this->suite.names_the_reasons_to_stop();
}

TYPED_TEST(PreconditionedCg, KeepsToItsBudget) {
    this->suite.keeps_to_its_budget();
}

TYPED_TEST(PreconditionedCg, IsKeptForManySolves) {
    this->suite.is_kept_for_many_solves();
}

TYPED_TEST(PreconditionedCg, IsKeptForManyBlocks) {
    this->suite.is_kept_for_many_blocks();
}

TYPED_TEST(PreconditionedCg, ServesBlocks) {
    this->suite.serves_blocks();
}

TYPED_TEST(PreconditionedCg, ServesDependentColumns) {
    this->suite.serves_dependent_columns();
}

}  // namespace
}  // namespace stiefel::test
