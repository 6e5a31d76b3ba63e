#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/preconditioner_suite.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaPreconditioners : public OnCuda {
protected:
    PreconditionerSuite<Cuda, T> suite() { return PreconditionerSuite<Cuda, T>(this->backend()); }
};
TYPED_TEST_SUITE(CudaPreconditioners, EveryType);

TYPED_TEST(CudaPreconditioners, AreSymmetricAndPositive) {
    this->suite().every_one_is_symmetric_and_positive();
}

TYPED_TEST(CudaPreconditioners, TakePanelsColumnByColumn) {
    this->suite().panels_are_columns();
}

TYPED_TEST(CudaPreconditioners, MultigridOfAnyPartsIsSymmetricAndPositive) {
    this->suite().every_multigrid_is_symmetric_and_positive();
}

TYPED_TEST(CudaPreconditioners, ChebyshevIsItsPolynomial) {
    this->suite().chebyshev_is_its_polynomial();
}

}  // namespace
}  // namespace stiefel::test
