#include "analysis/coupling_strength_checks.hpp"
#include "support/cuda.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaCouplingStrengths : public OnCuda {
protected:
    CouplingStrength found(const HostCsr<T>& a) {
        const auto there = stiefel::to_device(this->backend(), a);
        const CouplingSearch search(this->backend(), there);
        return search.read(this->backend());
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
