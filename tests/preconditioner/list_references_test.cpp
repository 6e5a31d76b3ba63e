#include "support/backends.hpp"
#include "support/listed_references.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class PreconditionerReferences : public ::testing::Test {
protected:
    typename Case::backend backend;
};
TYPED_TEST_SUITE(PreconditionerReferences, EveryBackendAndType);

TYPED_TEST(PreconditionerReferences, AreWhatIsApplied) {
    using Suite = ListedReferences<typename TypeParam::backend, typename TypeParam::type>;
    Suite(this->backend).every_one_is_its_formula();
}

}  // namespace
}  // namespace stiefel::test
