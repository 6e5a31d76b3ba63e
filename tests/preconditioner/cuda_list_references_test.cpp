#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/listed_references.hpp"

#include "stiefel/preconditioner/triangular/device_solve.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaPreconditionerReferences : public OnCuda {};
TYPED_TEST_SUITE(CudaPreconditionerReferences, EveryType);

/// Whichever kernel has been chosen for triangles.
TYPED_TEST(CudaPreconditionerReferences, AreWhatIsApplied) {
    using T = TypeParam;
    const auto chosen = [&](const triangular::LevelTriangles<T>& triangles) {
        return triangular::DeviceSolve<T>(this->backend(), triangles).kernel().expansion;
    };
    ListedReferences<Cuda, T>(this->backend(), chosen).every_one_is_its_formula();
}

}  // namespace
}  // namespace stiefel::test
