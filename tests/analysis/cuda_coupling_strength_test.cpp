#include "analysis/coupling_strength_checks.hpp"
#include "stiefel/analysis/matrix_facts.hpp"
#include "support/cuda.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaCouplingStrengths : public OnCuda {
protected:
    CouplingStrength found(const HostCsr<T>& a) {
        const auto there = stiefel::to_device(this->backend(), a);
        return matrix_facts(this->backend(), there, true).couplings.value();
    }
};
using TypesOfDeviceCouplings = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaCouplingStrengths, TypesOfDeviceCouplings);

TYPED_TEST(CudaCouplingStrengths, AreThoseOfExtendedPrecision) {
    using T = TypeParam;
    check_couplings_of_all_kinds<T>([this](const HostCsr<T>& a) { return this->found(a); });
    check_couplings_that_are_known<T>([this](const HostCsr<T>& a) { return this->found(a); });
}

}  // namespace
}  // namespace stiefel::test
