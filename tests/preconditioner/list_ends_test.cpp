#include "support/backends.hpp"
#include "support/listed_ends.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class PreconditionerEnds : public ::testing::Test {
protected:
    typename Case::backend backend;
    ListedEnds<typename Case::backend, typename Case::type> ends{backend};
};
TYPED_TEST_SUITE(PreconditionerEnds, EveryBackendAndType);

TYPED_TEST(PreconditionerEnds, Converged) {
    this->ends.converged();
}

TYPED_TEST(PreconditionerEnds, Stagnated) {
    this->ends.stagnated();
}

TYPED_TEST(PreconditionerEnds, EndedFromOutside) {
    this->ends.ended_from_outside();
}

TYPED_TEST(PreconditionerEnds, NotPositiveDefinite) {
    this->ends.not_positive_definite();
}

}  // namespace
}  // namespace stiefel::test
