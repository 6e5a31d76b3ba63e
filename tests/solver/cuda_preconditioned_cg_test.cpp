#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/preconditioned_ends.hpp"

#include "stiefel/core/cuda/loop.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaPreconditionedCg : public OnCuda {
protected:
    PreconditionedCgSuite<Cuda, T> suite() { return PreconditionedCgSuite<Cuda, T>(this->backend()); }
};
TYPED_TEST_SUITE(CudaPreconditionedCg, EveryType);

TYPED_TEST(CudaPreconditionedCg, TakesTheStepsOfTheFusedPath) {
    this->suite().takes_the_steps_of_the_fused_path();
}

TYPED_TEST(CudaPreconditionedCg, TakesTheDotThatIsGiven) {
    this->suite().takes_the_dot_that_is_given();
}

TYPED_TEST(CudaPreconditionedCg, ChebyshevCutsTheIterations) {
    this->suite().chebyshev_cuts_the_iterations();
}

TYPED_TEST(CudaPreconditionedCg, NamesTheReasonsToStop) {
    this->suite().names_the_reasons_to_stop();
}

TYPED_TEST(CudaPreconditionedCg, KeepsToItsBudget) {
    this->suite().keeps_to_its_budget();
}

TYPED_TEST(CudaPreconditionedCg, IsKeptForManySolves) {
    this->suite().is_kept_for_many_solves();
}

TYPED_TEST(CudaPreconditionedCg, IsKeptForManyBlocks) {
    this->suite().is_kept_for_many_blocks();
}

TYPED_TEST(CudaPreconditionedCg, ServesBlocks) {
    this->suite().serves_blocks();
}

TYPED_TEST(CudaPreconditionedCg, ServesDependentColumns) {
    this->suite().serves_dependent_columns();
}

TYPED_TEST(CudaPreconditionedCg, EndsAreNamed) {
    PreconditionedEnds<Cuda, TypeParam> ends(this->backend());
    ends.late_ends_are_named();
    ends.ends_when_it_is_asked(loop_ring);
    ends.ends_when_the_time_is_up(loop_ring);
    ends.late_ends_of_blocks_are_named();
    ends.blocks_end_when_they_are_asked();
    ends.blocks_know_a_preconditioner_that_is_not_positive();
}

}  // namespace
}  // namespace stiefel::test
