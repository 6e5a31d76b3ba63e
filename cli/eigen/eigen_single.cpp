#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"
#include "stiefel/cli/kept/kept_pairs_impl.hpp"

namespace stiefel::cli {

template EigenReport find_eigenpairs<float>(const EigenCommandOptions&, StatusLine&);
template KeptPairs find_pairs_of<float>(const LentCsr&, const EigenCommandOptions&);
template struct FindsKeptPairs<float, Serial>;
template struct FindsKeptPairs<float, OpenMP>;
#ifdef STIEFEL_HAS_CUDA
template struct FindsKeptPairs<float, Cuda>;
#endif

}  // namespace stiefel::cli
