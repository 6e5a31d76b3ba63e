#include "stiefel/spmv/products/spgemm.hpp"

#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/spmv/products/cuda/product_rows.cuh"

namespace stiefel {

template <class T>
DeviceCsr<T> spgemm(Cuda& backend, const DeviceCsr<T>& a, const DeviceCsr<T>& b) {
    using namespace cuda;
    require(a.n_cols == b.n_rows, "spgemm: A must have as many columns as B has rows");
    const CsrView<T> left(a), right(b);
    if (left.is_narrow() && right.is_narrow()) {
        using Offsets = const std::int32_t*;
        return TwoPasses(backend, ProductRows<T, std::int32_t, Offsets>(left, right, left.row_ptr.narrow(),
                                                                        right.row_ptr.narrow()))
            .run();
    }
    return TwoPasses(backend, ProductRows<T, Size, OffsetsView>(left, right, left.row_ptr, right.row_ptr)).run();
}

template DeviceCsr<double> spgemm(Cuda&, const DeviceCsr<double>&, const DeviceCsr<double>&);
template DeviceCsr<float> spgemm(Cuda&, const DeviceCsr<float>&, const DeviceCsr<float>&);

}  // namespace stiefel
