#include "stiefel/spmv/openmp/compressed/code.hpp"

namespace stiefel::compressed {

template SliceProduct<double, double> SliceProducts<Avx2>::of();
template SliceProduct<float, float> SliceProducts<Avx2>::of();
template SliceProduct<float, double> SliceProducts<Avx2>::of();
template SliceProduct<std::int16_t, float> SliceProducts<Avx2>::of();

}  // namespace stiefel::compressed
