#include "support/amg_bad_input_suite.hpp"

namespace stiefel::test {
namespace {

template <class B>
class AmgBadInput : public ::testing::Test {
protected:
    B backend{};
    AmgBadInputSuite<B> suite{backend};
};
using BackendsOfHosts = ::testing::Types<Serial, OpenMP>;
TYPED_TEST_SUITE(AmgBadInput, BackendsOfHosts);

TYPED_TEST(AmgBadInput, DisconnectedBlocksAreSolved) {
    this->suite.disconnected_blocks_are_solved();
}

TYPED_TEST(AmgBadInput, DisconnectedSingularBlocksAreSolvedWhereConsistent) {
    this->suite.disconnected_singular_blocks_are_solved_where_consistent();
}

TYPED_TEST(AmgBadInput, DenseRowsStayFew) {
    this->suite.dense_rows_stay_few();
}

TYPED_TEST(AmgBadInput, IndefiniteMatricesAreNotSaidToBeSolved) {
    this->suite.indefinite_matrices_are_not_said_to_be_solved();
}

TYPED_TEST(AmgBadInput, NearlySingularMatricesTakeDoublePrecision) {
    this->suite.nearly_singular_matrices_take_double_precision();
}

TYPED_TEST(AmgBadInput, HugeRangesAreSolved) {
    this->suite.huge_ranges_are_solved();
}

}  // namespace
}  // namespace stiefel::test
