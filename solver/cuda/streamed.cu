#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/streamed.hpp"
#include "stiefel/solver/cuda/streamed_kernel.cuh"
#include "stiefel/solver/resident.hpp"

#include <algorithm>
#include <memory>

namespace stiefel {

namespace cuda {

template <class T>
StreamedShape streamed_shape(const CudaDevice& device, const DeviceCompressedSell<T>& a, bool has_others) {
    const int most_blocks = std::min(device.multiprocessors, max_exchange_blocks);
    const Index even = std::max<Index>(streamed_warps, (a.n_slices() + most_blocks - 1) / most_blocks);
    const auto blocks = static_cast<int>((a.n_slices() + even - 1) / even);
    const Index slices = has_others ? most_slices_of_block(a.n_slices(), std::max(blocks, 1)) : even;
    const Size bytes = StreamedBlock<T>::bytes(slices, has_others);
    constexpr Size kernels_own_bytes = 4096;
    return {.slices_of_block = slices,
            .blocks = blocks,
            .warps_of_block = streamed_warps,
            .shared_bytes = bytes,
            .fits = a.n_rows > 0 && bytes <= device.shared_bytes_per_block - kernels_own_bytes};
}

namespace {

/// Lets the step run the loop; get_ready() comes before each launch, and keeps what `others` point to.
template <class T, class M, class Others, class GetReady>
void use_streamed(Cuda& backend, CudaStep& step, const StreamedShape& shape, const DeviceCompressedSell<T>& a,
                  const M& m, DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state,
                  const Others& others, GetReady get_ready) {
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    const bool shared_values = a.values.size() < a.nnz();
    const auto kernel =
        shared_values ? streamed_kernel<true, jacobi, T, Others> : streamed_kernel<false, jacobi, T, Others>;
    allow_shared(backend, kernel, static_cast<int>(shape.shared_bytes), "asking for shared memory");
    const auto boxes = std::make_shared<DeviceVector<Letter>>(backend, GridExchange::n_boxes);
    const StreamedArguments<T, Others> arguments{.a = CompressedView<T>(a),
                                                 .slices_of_block = shape.slices_of_block,
                                                 .inverse_diagonal = diagonal_of<T>(m),
                                                 .x = x.data(),
                                                 .r = r.data(),
                                                 .p = p.data(),
                                                 .state = state.data(),
                                                 .exchange = {boxes->data()},
                                                 .loop = {},
                                                 .others = others};
    step.resident = [&backend, boxes, arguments, kernel, shape, get_ready](const CudaLoop& loop) {
        get_ready();
        backend.zero_bytes(boxes->data(), boxes->bytes());
        StreamedArguments<T, Others> now = arguments;
        now.loop = loop;
        launch_together(backend, kernel, shape.blocks, streamed_threads, static_cast<int>(shape.shared_bytes),
                        "launching the streamed loop", now);
    };
}

}  // namespace

template <class T, class M>
void set_streamed(Cuda& backend, CudaStep& step, const StreamedShape& shape, const DeviceCompressedSell<T>& a,
                  const StreamedWithOthers<T>& others, const M& m, DeviceVector<T>& x, DeviceVector<T>& r,
                  DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const BoundarySlices<T, DeviceMemory>& slices = *others.slices;
    const OtherGpus<T> gpus{.ways = others.ways,
                            .slice = slices.slice.data(),
                            .first_outer = slices.first_outer.data(),
                            .outer = slices.outer.data(),
                            .first_group = slices.first_group.data(),
                            .ghost = slices.ghost.data(),
                            .values = slices.values.data()};
    use_streamed(backend, step, shape, a, m, x, r, p, state, gpus, [others] { others.get_ready(); });
}

template StreamedShape streamed_shape(const CudaDevice&, const DeviceCompressedSell<double>&, bool);
template StreamedShape streamed_shape(const CudaDevice&, const DeviceCompressedSell<float>&, bool);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<double>&,
                           const StreamedWithOthers<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<double>&,
                           const StreamedWithOthers<double>&, const DeviceJacobi<double>&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<float>&,
                           const StreamedWithOthers<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<float>&,
                           const StreamedWithOthers<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);

}  // namespace cuda

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCompressedSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (!backend.is_alone() || a.n_rows != a.n_cols) return;
    const cuda::StreamedShape shape = cuda::streamed_shape(backend.device(), a, false);
    if (!shape.fits) return;
    cuda::use_streamed(backend, step, shape, a, m, x, r, p, state, cuda::NoOthers{}, [] {});
}

template void set_resident(Cuda&, CudaStep&, const DeviceCompressedSell<double>&, const Identity&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCompressedSell<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCompressedSell<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCompressedSell<float>&, const DeviceJacobi<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);

}  // namespace stiefel
