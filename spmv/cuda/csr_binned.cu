#include "stiefel/spmv/cuda/csr_binned_gather.cuh"
#include "stiefel/spmv/cuda/csr_binned_tiles.cuh"

namespace stiefel::cuda {

namespace {

template <class T, class Offset>
__global__ void __launch_bounds__(BinLayout<T>::threads, 1) csr_binned_kernel(BinnedArguments<T, Offset> a) {
    extern __shared__ __align__(16) unsigned char shared[];
    using Layout = BinLayout<T>;
    begin_kernel();
    auto* const tiles = reinterpret_cast<BinTile<T>*>(shared);
    T* const x = reinterpret_cast<T*>(tiles + Layout::groups);
    const int thread = static_cast<int>(threadIdx.x);
    if (static_cast<Index>(blockIdx.x) < a.n_strips) {
        load_strip(a, static_cast<Index>(blockIdx.x), x, thread, Layout::threads);
    }
    __syncthreads();
    double dot = 0;
    if (thread < Layout::gather_threads) {
        gather(a, x);
    } else {
        const int group = (thread - Layout::gather_threads) / Layout::group_threads;
        dot = add_up(a, tiles[group], group);
    }
    __syncthreads();
    split_rows(a);
    // racecheck takes the barriers from here on for none, as it does in any kernel whose groups have met at barriers of
    // their own unequally often.
    // The last block out leaves the counters as it found them; the last counter tells it.
    bool is_last_out = false;
    if (thread == 0) {
        __threadfence();
        is_last_out = atomicInc(a.taken + a.n_steps, gridDim.x - 1) == gridDim.x - 1;
    }
    if (__syncthreads_or(static_cast<int>(is_last_out)) != 0) {
        for (Index i = thread; i < 2 * a.n_steps; i += Layout::threads) a.written[i] = 0;
    }
    a.out.finish(dot, a.split.dot, a.n_tiles);
}

/// The bins of a matrix, made when first asked for. Where there is no memory for them they do not `fit`.
template <class T>
const CsrBins<T>& bins_of(Cuda& backend, const DeviceCsr<T>& a) {
    if (a.bins == nullptr) {
        require(!backend.is_capturing(), "csr_binned: the first product with a matrix must not be captured in a graph");
        CsrBins<T> bins;
        try {
            bins = make_csr_bins(backend, a);
        } catch (const OutOfMemory&) {  // adaptive needs none
        }
        a.bins = std::make_unique<const CsrBins<T>>(std::move(bins));
    }
    return *a.bins;
}

}  // namespace

template <class T>
void csr_binned(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    const CsrBins<T>& bins = bins_of(backend, a);
    if (!bins.fits) return csr_adaptive(backend, a, s);
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        BinnedArguments<T, Offset> arguments{.nnz = a.nnz(),
                                             .row_ptr = row_ptr,
                                             .values = a.values.data(),
                                             .first_row = a.shares.first_row.data(),
                                             .n_shares = a.shares.n_shares,
                                             .n_strips = bins.n_strips,
                                             .n_tiles = bins.n_tiles,
                                             .n_steps = bins.n_steps,
                                             .tile_units = bins.tile_units,
                                             .strip_columns = bins.strip_columns,
                                             .strip_begin = bins.strip_begin.data(),
                                             .step_begin = bins.step_begin.data(),
                                             .column = bins.column.data(),
                                             .destination = bins.destination.data(),
                                             .position = bins.position.data(),
                                             .n_units = bins.n_units.data(),
                                             .gathered = bins.gathered.data(),
                                             .written = bins.counters.data(),
                                             .taken = bins.counters.data() + bins.n_steps,
                                             .split = {bins.carry.data(), bins.split_dot.data(), bins.arrived.data()},
                                             .out = RowOutput<T>(backend, s)};
        const auto kernel = csr_binned_kernel<T, Offset>;
        const auto shared_bytes = static_cast<int>(BinLayout<T>::groups * static_cast<Size>(sizeof(BinTile<T>)) +
                                                   bins.strip_columns * static_cast<Size>(sizeof(T)));
        allow_shared(backend, kernel, shared_bytes, "asking for shared memory");
        launch_together(backend, kernel, bins.blocks, BinLayout<T>::threads, shared_bytes, "launching csr_binned",
                        arguments);
    });
}

template void csr_binned(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_binned(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
