#include "bench/suites/cusparse_cases.hpp"

namespace stiefel::bench {

void add_cusparse_triangular(const TriangularOperand&, const std::shared_ptr<Cuda>&, std::vector<Case>&) {}

void add_cusparse_products(const SuiteProduct&, const std::shared_ptr<Cuda>&, std::vector<Case>&) {}

Libraries cusparse_libraries(const SuiteOptions& options) {
    if (!options.backends.cuda) return {};
    return {{"cuSPARSE", std::nullopt}};
}

}  // namespace stiefel::bench
