#include "support/amg_update_suite.hpp"
#include "support/cuda.hpp"

namespace stiefel::test {
namespace {

class CudaAmgUpdate : public OnCuda {
protected:
    AmgUpdateSuite<Cuda> suite() { return AmgUpdateSuite<Cuda>(this->backend()); }
};

TEST_F(CudaAmgUpdate, NewValuesAreTaken) {
    suite().new_values_are_taken();
}

TEST_F(CudaAmgUpdate, SolvesWithNewCoefficients) {
    suite().solves_with_new_coefficients();
}

TEST_F(CudaAmgUpdate, KeepsItsColumns) {
    suite().keeps_its_columns();
}

TEST_F(CudaAmgUpdate, SaysWhatCannotBe) {
    suite().says_what_cannot_be();
}

}  // namespace
}  // namespace stiefel::test
