#include "bench/cuda/spsv_both_triangles.hpp"

#include "bench/triangular_system.hpp"

#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

namespace stiefel::bench {

template <class T>
const char* CusparseBothTriangles<T>::name(Stored stored) {
    return stored == Stored::both ? "cusparse spsv, L and L'" : "cusparse spsv, L twice";
}

template <class T>
CusparseBothTriangles<T>::CusparseBothTriangles(Cuda& backend, const cholesky::IncompleteFactor<T>& l, Stored stored,
                                                const DeviceVector<T>& r, DeviceVector<T>& z)
    : upper_(to_device(backend, upper_csr(l))),
      lower_(transpose(backend, upper_)),
      middle_(backend, l.n),
      forward_(backend, CusparseSpsv::Triangle::lower, lower_, r, middle_),
      backward_(backend,
                stored == Stored::both ? CusparseSpsv::Triangle::upper : CusparseSpsv::Triangle::transposed_lower,
                stored == Stored::both ? upper_ : lower_, middle_, z) {}

template class CusparseBothTriangles<double>;
template class CusparseBothTriangles<float>;

}  // namespace stiefel::bench
