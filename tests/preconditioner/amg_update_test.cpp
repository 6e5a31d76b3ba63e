#include "support/amg_update_suite.hpp"

namespace stiefel::test {
namespace {

template <class B>
class AmgUpdate : public ::testing::Test {
protected:
    B backend;
    AmgUpdateSuite<B> suite{backend};
};
using HostBackends = ::testing::Types<Serial, OpenMP>;
TYPED_TEST_SUITE(AmgUpdate, HostBackends);

TYPED_TEST(AmgUpdate, NewValuesAreTaken) {
    this->suite.new_values_are_taken();
}

TYPED_TEST(AmgUpdate, SolvesWithNewCoefficients) {
    this->suite.solves_with_new_coefficients();
}

TYPED_TEST(AmgUpdate, KeepsItsColumns) {
    this->suite.keeps_its_columns();
}

TYPED_TEST(AmgUpdate, SaysWhatCannotBe) {
    this->suite.says_what_cannot_be();
}

}  // namespace
}  // namespace stiefel::test
