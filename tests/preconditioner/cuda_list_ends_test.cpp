#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/listed_ends.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaPreconditionerEnds : public OnCuda {
protected:
    ListedEnds<Cuda, T> ends() { return ListedEnds<Cuda, T>(this->backend()); }
};
TYPED_TEST_SUITE(CudaPreconditionerEnds, EveryType);

TYPED_TEST(CudaPreconditionerEnds, Converged) {
    this->ends().converged();
}

TYPED_TEST(CudaPreconditionerEnds, Stagnated) {
    this->ends().stagnated();
}

TYPED_TEST(CudaPreconditionerEnds, EndedFromOutside) {
    this->ends().ended_from_outside();
}

TYPED_TEST(CudaPreconditionerEnds, NotPositiveDefinite) {
    this->ends().not_positive_definite();
}

}  // namespace
}  // namespace stiefel::test
