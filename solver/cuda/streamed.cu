#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/solver/cuda/streamed.hpp"
#include "stiefel/solver/cuda/streamed_kernel.cuh"
#include "stiefel/solver/resident.hpp"
#include "stiefel/spmv/resident_size.hpp"

#include <algorithm>
#include <memory>

namespace stiefel {

namespace cuda {

namespace {

/// By what an iteration saves: of a row r is read twice and written once, x and q once each, and q, written last, is
/// still in a cache more often.
StreamedRoom room_of(Index slices, Size most_bytes, Size bytes_of_slice) {
    Size left = std::max<Size>(0, most_bytes) / bytes_of_slice;
    const auto take = [&] {
        const Size taken = std::min<Size>(left, slices);
        left -= taken;
        return static_cast<Index>(taken);
    };
    StreamedRoom room{.slices_of_block = slices};
    room.r = take();
    room.x = take();
    room.q = take();
    return room;
}

}  // namespace

template <class T>
StreamedShape streamed_shape(const CudaDevice& device, const DeviceCompressedSell<T>& a, bool has_others) {
    constexpr Size kernels_own_bytes = 4096, of_slice = warp_size * static_cast<Size>(sizeof(T));
    constexpr Index usual_run = 64;
    const int most_blocks = std::min(device.multiprocessors, max_exchange_blocks);
    const Index even = std::max<Index>(streamed_warps, (a.n_slices() + most_blocks - 1) / most_blocks);
    StreamedShape shape;
    shape.blocks = static_cast<int>((a.n_slices() + even - 1) / even);
    shape.warps_of_block = streamed_warps;
    if (a.n_rows == 0) return shape;
    const auto with_runs = [&](Index runs) {
        const Index of_run = (even + runs - 1) / runs;
        const Index slices = has_others ? most_slices_of_block(a.n_slices(), shape.blocks) : runs * of_run;
        const Size of_numbers = has_others ? SharedRoom::bytes_of<Index>(slices) : 0;
        const Size most_bytes = device.shared_bytes_per_block - kernels_own_bytes - of_numbers;
        shape.runs = runs;
        shape.room = room_of(slices, most_bytes, of_slice);
        shape.room.slices_of_run = of_run;
        if (runs > 1) shape.room.over_run = static_cast<unsigned>(((Size{1} << 32) + of_run - 1) / of_run);
        shape.shared_bytes = of_numbers + (Size{shape.room.r} + shape.room.x + shape.room.q) * of_slice;
    };
    with_runs(1);
    shape.fits = shape.room.all_stay();
    if (shape.fits) return shape;
    with_runs(std::max<Index>(1, even / usual_run));
    const auto slices = static_cast<double>(shape.room.slices_of_block);
    const auto slices_that_stay = static_cast<double>(Size{shape.room.r} + shape.room.x + shape.room.q);
    shape.fits = slices_that_stay >= least_that_stay(static_cast<double>(a.nnz()) / a.n_rows) * slices;
    return shape;
}

namespace {

/// Lets the step run the loop; get_ready() comes before each launch, and keeps what `others` point to.
template <class T, class M, class Others, class GetReady>
void use_streamed(Cuda& backend, CudaStep& step, const StreamedShape& shape, const DeviceCompressedSell<T>& a,
                  const M& m, DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state,
                  const Others& others, GetReady get_ready) {
    constexpr bool jacobi = !std::is_same_v<M, Identity>;
    const bool shared_values = a.values.size() < a.nnz();
    const auto with_values = [&](auto all_stay) {
        return shared_values ? streamed_kernel<true, jacobi, all_stay.value, T, Others>
                             : streamed_kernel<false, jacobi, all_stay.value, T, Others>;
    };
    const bool all_stay = shape.room.all_stay();
    const auto kernel = all_stay ? with_values(std::true_type{}) : with_values(std::false_type{});
    allow_shared(backend, kernel, static_cast<int>(shape.shared_bytes), "asking for shared memory");
    const auto boxes = std::make_shared<DeviceVector<Letter>>(backend, GridExchange::n_boxes);
    const auto q = std::make_shared<DeviceVector<T>>(backend, all_stay ? 0 : a.n_rows);
    const StreamedArguments<T, Others> arguments{.a = CompressedView<T>(a),
                                                 .room = shape.room,
                                                 .inverse_diagonal = diagonal_of<T>(m),
                                                 .x = x.data(),
                                                 .r = r.data(),
                                                 .p = p.data(),
                                                 .q = q->data(),
                                                 .state = state.data(),
                                                 .exchange = {boxes->data()},
                                                 .loop = {},
                                                 .others = others};
    step.resident = [&backend, boxes, q, arguments, kernel, shape, get_ready](const CudaLoop& loop) {
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

template <class T, class M>
void set_streamed(Cuda& backend, CudaStep& step, const StreamedShape& shape, const DeviceCompressedSell<T>& a,
                  const M& m, DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p,
                  DeviceVector<CgState>& state) {
    use_streamed(backend, step, shape, a, m, x, r, p, state, NoOthers{}, [] {});
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
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<double>&, const Identity&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<double>&,
                           const DeviceJacobi<double>&, DeviceVector<double>&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<CgState>&);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<float>&, const Identity&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_streamed(Cuda&, CudaStep&, const StreamedShape&, const DeviceCompressedSell<float>&,
                           const DeviceJacobi<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&,
                           DeviceVector<CgState>&);

}  // namespace cuda

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCompressedSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (!backend.is_alone() || a.n_rows != a.n_cols) return;
    const cuda::StreamedShape shape = cuda::streamed_shape(backend.device(), a, false);
    if (!shape.fits) return;
    cuda::set_streamed(backend, step, shape, a, m, x, r, p, state);
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
