#include "support/amg_bad_input_suite.hpp"
#include "support/cuda.hpp"

namespace stiefel::test {
namespace {

class CudaAmgBadInput : public OnCuda {
protected:
    AmgBadInputSuite<Cuda> suite() { return AmgBadInputSuite<Cuda>(backend()); }
};

TEST_F(CudaAmgBadInput, DisconnectedBlocksAreSolved) {
    suite().disconnected_blocks_are_solved();
}

TEST_F(CudaAmgBadInput, DisconnectedSingularBlocksAreSolvedWhereConsistent) {
    suite().disconnected_singular_blocks_are_solved_where_consistent();
}

TEST_F(CudaAmgBadInput, DenseRowsStayFew) {
    suite().dense_rows_stay_few();
}

TEST_F(CudaAmgBadInput, IndefiniteMatricesAreNotSaidToBeSolved) {
    suite().indefinite_matrices_are_not_said_to_be_solved();
}

TEST_F(CudaAmgBadInput, NearlySingularMatricesTakeDoublePrecision) {
    suite().nearly_singular_matrices_take_double_precision();
}

TEST_F(CudaAmgBadInput, HugeRangesAreSolved) {
    suite().huge_ranges_are_solved();
}

}  // namespace
}  // namespace stiefel::test
