#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"
#include "stiefel/cli/kept/kept_pairs_impl.hpp"

namespace stiefel::cli {

template EigenReport find_eigenpairs<double>(const EigenCommandOptions&, StatusLine&);
template KeptPairs find_pairs_of<double>(const LentCsr&, const EigenCommandOptions&);
template struct FindsKeptPairs<double, Serial>;
template struct FindsKeptPairs<double, OpenMP>;
#ifdef STIEFEL_HAS_CUDA
template struct FindsKeptPairs<double, Cuda>;
#endif

}  // namespace stiefel::cli
