#include "stiefel/core/agreement.hpp"
#include "stiefel/solver/cuda/streamed.hpp"
#include "stiefel/solver/resident.hpp"
#include "stiefel/world/cuda/boundary_rows.hpp"

#include <memory>
#include <utility>

namespace stiefel {

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const SpmvOperator<Cuda, T>& own,
                  const BoundaryRows<Cuda, T>& boundary, const M& m, DeviceVector<T>& x, DeviceVector<T>& r,
                  DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const auto* const a = own.template in_format<DeviceCompressedSell<T>>();
    cuda::StreamedShape shape;
    if (a != nullptr && boundary.may_stay()) shape = cuda::streamed_shape(backend.device(), *a, true);
    const bool all_fit = agreed(backend, shape.fits ? 0 : 1) == 0;
    if (!all_fit) return;
    auto slices = boundary.slices(backend, *a, shape.blocks, shape.warps_of_block, shape.runs);
    const cuda::StreamedWithOthers<T> others{
        .slices = std::make_shared<const BoundarySlices<T, DeviceMemory>>(std::move(slices)),
        .ways = boundary.letter_ways(),
        .get_ready = [&backend, &boundary] { boundary.meet_if_one_sided(backend); }};
    cuda::set_streamed(backend, step, shape, *a, others, m, x, r, p, state);
}

template void set_resident(Cuda&, CudaStep&, const SpmvOperator<Cuda, double>&, const BoundaryRows<Cuda, double>&,
                           const Identity&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&,
                           DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const SpmvOperator<Cuda, double>&, const BoundaryRows<Cuda, double>&,
                           const DeviceJacobi<double>&, DeviceVector<double>&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const SpmvOperator<Cuda, float>&, const BoundaryRows<Cuda, float>&,
                           const Identity&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&,
                           DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const SpmvOperator<Cuda, float>&, const BoundaryRows<Cuda, float>&,
                           const DeviceJacobi<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&,
                           DeviceVector<CgState>&);

}  // namespace stiefel
