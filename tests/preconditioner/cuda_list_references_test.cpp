#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/listed_references.hpp"

#include "stiefel/preconditioner/triangular/kernel_list.hpp"

#include <algorithm>

namespace stiefel::test {
namespace {

template <class T>
class CudaPreconditionerReferences : public OnCuda {};
TYPED_TEST_SUITE(CudaPreconditionerReferences, EveryType);

/// Whichever kernel has been chosen for triangles.
TYPED_TEST(CudaPreconditionerReferences, AreWhatIsApplied) {
    int most_steps = 0;
    for (const auto& kernel : triangular::triangular_kernels<TypeParam>()) {
        most_steps = std::max(most_steps, kernel.steps);
    }
    ListedReferences<Cuda, TypeParam>(this->backend(), most_steps).every_one_is_its_formula();
}

}  // namespace
}  // namespace stiefel::test
