#include "stiefel/core/cuda/early/ranks.cuh"
#include "stiefel/spmv/cuda/compressed_product.cuh"
#include "stiefel/world/cuda/boundary_row.cuh"

namespace stiefel::cuda {

namespace {

/// The round of this product, until its last block has ended it. Read anew where it is needed: the product of the own
/// columns has no register left to keep it in.
template <class T, class Offset>
__device__ unsigned round_of(const Boundary<T, Offset>& boundary) {
    return *static_cast<const volatile unsigned*>(boundary.round) + 1;
}

/// What the boundary rows of a block add to <x, y>; what comes to each is kept in `brought`.
template <int lanes, class T, class Offset>
__device__ double boundary_products(const Boundary<T, Offset>& boundary, const T* x, T* brought) {
    const BoundaryPart<lanes> part;
    const unsigned round = round_of(boundary);
    const Letter* const box = letters_of_round(boundary, round);
    double dot = 0;
    unsigned long long waited = 0;
    for (Size i = part.first; part.goes_on(i, boundary.n); i += part.step) {
        BoundaryRow<T, lanes> own(boundary, i, part.lane);
        const T sum = own.product(boundary, box, 1, round);
        waited += own.waited;
        if (i >= boundary.n || part.lane != 0) continue;
        brought[i] = sum;
        dot += static_cast<double>(x[own.row]) * static_cast<double>(sum);
    }
    tell_wait(boundary.world, waited);
    return dot;
}

/// The last block has found all others' sums, and so what they wrote before: by one of its threads.
__device__ inline void end_round(unsigned* last_round, unsigned round) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(last_round), "r"(round) : "memory");
}
/// By a thread of another block that is to go on with rows of all.
__device__ inline void await_end(const unsigned* last_round, unsigned round) {
    unsigned ended = 0;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ended) : "l"(last_round) : "memory");
    } while (ended != round);
}

/// Each thread its letters. What does not change is read before the kernels ahead have ended.
template <class T, class Offset>
__device__ void send_all(const T* x, const Index* sent, const Addresses& to, const Boundary<T, Offset>& boundary,
                         Size thread) {
    const Size n_sent = to.first[to.n];
    Index row = thread < n_sent ? sent[thread] : 0;
    await_kernel_ahead();
    const unsigned round = round_of(boundary);
    for (Size i = thread; i < n_sent; i += Size{gridDim.x} * blockDim.x) {
        if (i != thread) row = sent[i];
        const int neighbour = receiver(to, i);
        send_letter(to, neighbour, i - to.first[neighbour], x[row], round);
    }
}

template <bool shared, int lanes, class T, class Offset>
__global__ void __launch_bounds__(block_threads, compressed_sell_blocks)
    whole_product_kernel(CompressedView<T> a, Index slices_of_block, const Index* sent, Addresses to,
                         Boundary<T, Offset> boundary, T* brought, RowOutput<T> out) {
    announce_kernel();
    send_all(out.x, sent, to, boundary, out.thread());
    const auto step = static_cast<Index>(gridDim.x) * slices_of_block;
    double sums[1] = {};
    for (Index begin = static_cast<Index>(blockIdx.x) * slices_of_block; begin < a.n_slices; begin += step) {
        sums[0] += slices_product<shared>(a, begin, slices_of_block, out);
    }
    sums[0] += boundary_products<lanes>(boundary, out.x, brought);

    const unsigned round = round_of(boundary);
    const bool is_last = leave_sums(sums, out.scratch);
    const BoundaryPart<lanes> part;
    if (is_last) {
        if (threadIdx.x == 0) end_round(boundary.round, round);
        if (add_sums_left(sums, out.scratch)) *out.dot = sums[0];
    } else if (Size{blockIdx.x} * blockDim.x / lanes < boundary.n) {
        if (threadIdx.x == 0) await_end(boundary.round, round);
        __syncthreads();
    }
    // While the sum goes over all ranks. Other blocks have written these rows.
    for (Size i = part.first; i < boundary.n; i += part.step) {
        if (part.lane != 0) break;
        T* const place = out.y + boundary.rows[i];
        *place = __ldcg(place) + brought[i];
    }
}

}  // namespace

template <class T, class Offset>
void multiply(Cuda& backend, const DeviceCompressedSell<T>& own, const Index* sent, const Addresses& to,
              const Boundary<T, Offset>& boundary, T* brought, const SpmvArguments<T>& arguments) {
    const SliceShares shares(backend, own.n_slices());
    with_lanes(boundary, [&](auto lanes) {
        const Size for_boundary = (boundary.n * lanes + block_threads - 1) / block_threads;
        const auto blocks = std::clamp<Size>(std::max(shares.blocks, for_boundary), 1, shares.at_a_time);
        const bool shared = own.values.size() < own.nnz();
        launch(backend,
               shared ? whole_product_kernel<true, lanes, T, Offset> : whole_product_kernel<false, lanes, T, Offset>,
               static_cast<int>(blocks), block_threads, "multiplying with other GPUs", CompressedView<T>(own),
               shares.slices_of_block, sent, to, boundary, brought, RowOutput<T>(backend, arguments));
    });
}

template void multiply(Cuda&, const DeviceCompressedSell<double>&, const Index*, const Addresses&,
                       const Boundary<double, std::int32_t>&, double*, const SpmvArguments<double>&);
template void multiply(Cuda&, const DeviceCompressedSell<double>&, const Index*, const Addresses&,
                       const Boundary<double, std::int64_t>&, double*, const SpmvArguments<double>&);
template void multiply(Cuda&, const DeviceCompressedSell<float>&, const Index*, const Addresses&,
                       const Boundary<float, std::int32_t>&, float*, const SpmvArguments<float>&);
template void multiply(Cuda&, const DeviceCompressedSell<float>&, const Index*, const Addresses&,
                       const Boundary<float, std::int64_t>&, float*, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
