#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/streamed_kernel.cuh"
#include "stiefel/solver/resident.hpp"

#include <algorithm>
#include <memory>

namespace stiefel {

namespace {

template <bool jacobi, class T>
auto streamed_kernel_for(const DeviceCompressedSell<T>& a) {
    const bool shared = a.values.size() < a.nnz();
    return shared ? cuda::streamed_kernel<true, jacobi, T> : cuda::streamed_kernel<false, jacobi, T>;
}

}  // namespace

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCompressedSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (!backend.is_alone() || a.n_rows != a.n_cols || a.n_rows == 0) return;
    const CudaDevice& device = backend.device();
    const int most_blocks = std::min(device.multiprocessors, max_exchange_blocks);
    constexpr Index least_slices = cuda::streamed_threads / warp_size;  // one for each warp
    const Index slices = std::max<Index>(least_slices, (a.n_slices() + most_blocks - 1) / most_blocks);
    const Size bytes = cuda::StreamedBlock<T>::bytes(slices);
    constexpr Size kernels_own_bytes = 4096;
    if (bytes > device.shared_bytes_per_block - kernels_own_bytes) return;
    const auto kernel = streamed_kernel_for<!std::is_same_v<M, Identity>>(a);
    const int blocks = static_cast<int>((a.n_slices() + slices - 1) / slices);
    allow_shared(backend, kernel, static_cast<int>(bytes), "asking for shared memory");
    const auto boxes = std::make_shared<DeviceVector<Letter>>(backend, GridExchange::n_boxes);
    const cuda::StreamedArguments<T> arguments{.a = cuda::CompressedView<T>(a),
                                               .slices_of_block = slices,
                                               .inverse_diagonal = diagonal_of<T>(m),
                                               .x = x.data(),
                                               .r = r.data(),
                                               .p = p.data(),
                                               .state = state.data(),
                                               .exchange = {boxes->data()},
                                               .loop = {}};
    step.resident = [&backend, boxes, arguments, kernel, blocks, bytes](const CudaLoop& loop) {
        backend.zero_bytes(boxes->data(), boxes->bytes());
        cuda::StreamedArguments<T> now = arguments;
        now.loop = loop;
        launch_together(backend, kernel, blocks, cuda::streamed_threads, static_cast<int>(bytes),
                        "launching the streamed loop", now);
    };
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
