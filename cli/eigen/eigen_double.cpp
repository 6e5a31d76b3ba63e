#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"

namespace stiefel::cli {

template EigenReport find_eigenpairs<double>(const EigenCommandOptions&, StatusLine&);

}  // namespace stiefel::cli
