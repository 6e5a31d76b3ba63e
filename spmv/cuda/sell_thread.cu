#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

namespace {

/// A thread for a slot: with slices of 32 rows a warp for a slice, its lanes at neighbouring entries. Rows of a slice
/// are of about one length, so the padding is multiplied too.
template <class T, class SliceHeight>
__global__ void sell_thread_kernel(Index n_rows, Size n_slots, SliceHeight slice_height, const Size* slice_ptr,
                                   const Index* row_of_slot, const Index* col_idx, const T* values, RowOutput<T> out) {
    begin_kernel();
    double dot = 0;
    for (Size place = out.thread(); place < n_slots; place += Size{gridDim.x} * blockDim.x) {
        // A slice is turned round as a whole, so that its lanes stay in their order.
        const Size slice =
            out.descends ? n_slots / slice_height() - 1 - place / slice_height() : place / slice_height();
        const Size lane = place % slice_height();
        const Size slot = slice * slice_height() + lane;
        const Size begin = slice_ptr[slice];
        const Index width = static_cast<Index>((slice_ptr[slice + 1] - begin) / slice_height());
        const Index row = row_of_slot != nullptr ? row_of_slot[slot] : static_cast<Index>(min(slot, Size{n_rows}));
        const Size first = begin + lane;
        // Single entries, as prolongations from pairs have, take a third of the instructions so.
        const T sum = width == 1 ? load_once(values + first) * __ldg(out.x + load_once(col_idx + first))
                                 : row_product(values + first, col_idx + first, out.x, width,
                                               [=](Index j) { return Size{j} * slice_height(); });
        if (row < n_rows) dot += out.store(row, sum);
    }
    out.finish(dot);
}

/// The slice height this kernel is made for, known to the compiler, and any other.
struct WarpHeight {
    __device__ constexpr unsigned operator()() const { return warp_size; }
};
struct AnyHeight {
    unsigned height;
    __device__ unsigned operator()() const { return height; }
};

}  // namespace

template <class T>
void sell_thread(Cuda& backend, const DeviceSell<T>& a, const SpmvArguments<T>& s) {
    const auto with_height = [&](auto slice_height) {
        launch(backend, sell_thread_kernel<T, decltype(slice_height)>, grid_for(backend, s, a.n_slots(), block_threads),
               block_threads, "launching sell_thread", a.n_rows, a.n_slots(), slice_height, a.slice_ptr.data(),
               a.row_of_slot.data(), a.col_idx.data(), a.values.data(), RowOutput<T>(backend, s));
    };
    if (a.slice_height == warp_size) {
        with_height(WarpHeight{});
    } else {
        with_height(AnyHeight{static_cast<unsigned>(a.slice_height)});
    }
}

template void sell_thread(Cuda&, const DeviceSell<double>&, const SpmvArguments<double>&);
template void sell_thread(Cuda&, const DeviceSell<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
