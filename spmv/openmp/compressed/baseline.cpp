#include "stiefel/spmv/openmp/compressed/code.hpp"

namespace stiefel::compressed {

template SliceProduct<double, double> SliceProducts<Baseline>::of();
template SliceProduct<float, float> SliceProducts<Baseline>::of();
template SliceProduct<float, double> SliceProducts<Baseline>::of();
template SliceProduct<std::int16_t, float> SliceProducts<Baseline>::of();

}  // namespace stiefel::compressed
