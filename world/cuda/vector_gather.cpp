#include "stiefel/world/cuda/vector_gather.hpp"

#include "stiefel/world/cuda/vector_kernels.hpp"

#include <algorithm>
#include <utility>

namespace stiefel {

namespace {

/// The rows of others, as what a matrix takes of theirs: the identity.
template <class T>
SplitRows<T> rows_of_others(const RowBlocks& blocks, int rank) {
    const auto n_all = static_cast<Index>(blocks.n_rows()), n_others = n_all - blocks.n_rows_of(rank);
    HostVector<Index> cols(n_others), boundary(n_others);
    HostVector<std::int32_t> row_ptr(Size{n_others} + 1);
    SplitRows<T> others;
    for (Index b = 0; b < n_others; ++b) {
        const Index row = b < blocks.first(rank) ? b : b + blocks.n_rows_of(rank);
        cols[b] = row_ptr[b] = b;
        boundary[b] = row;
        others.ghosts.push_back(row);
    }
    row_ptr[n_others] = n_others;
    others.beyond = {n_others, n_others, RowOffsets<HostMemory>(std::move(row_ptr)), std::move(cols),
                     HostVector<T>(n_others, T{1})};
    others.boundary = std::move(boundary);
    return others;
}

}  // namespace

template <class T>
VectorGather<T>::VectorGather(Cuda& backend, CudaWorld& world, const RowBlocks& blocks)
    : world_(&world),
      n_(blocks.n_rows_of(world.rank())),
      first_(blocks.first(world.rank())),
      n_all_(blocks.n_rows()),
      counters_(backend, 3) {
    backend.zero_bytes(counters_.data(), counters_.bytes());
    if (world.needs_hosts()) by_hosts_.emplace(backend, world, blocks, rows_of_others<T>(blocks, world.rank()));
    reserve(backend, 1);
}

template <class T>
void VectorGather<T>::reserve(Cuda& backend, Index columns) {
    if (columns <= columns_) return;
    columns_ = columns;
    if (by_hosts_) return;  // makes room by itself
    // Whoever still writes for the last round writes to the room before.
    backend.synchronize();
    boxes_ = world_->shared_memory(cuda::VectorBoxes::head_bytes + 2 * n_all_ * columns * static_cast<Size>(sizeof(T)));
    backend.zero_bytes(counters_.data(), counters_.bytes());
}

template <class T>
void VectorGather<T>::run(Cuda& backend, const T* own, T* whole, Index columns) const {
    const Size all = n_all_ * columns, begin = first_ * columns, end = begin + Size{n_} * columns;
    if (by_hosts_) {
        const DeviceMatrix<const T> from{own, n_, columns, columns};
        cuda::place_rows(backend, all, begin, end, own, whole);
        by_hosts_->begin(backend, from);
        by_hosts_->finish(backend, from, {whole, static_cast<Index>(n_all_), columns, columns}, T{1});
        return;
    }
    cuda::VectorBoxes boxes{.rank = world_->rank(),
                            .size = world_->size(),
                            .begin = begin,
                            .end = end,
                            .all = all,
                            .of_round = n_all_ * columns_,
                            .last_round = counters_.data(),
                            .written = counters_.data() + 1,
                            .taken = counters_.data() + 2};
    std::copy(boxes_.begin(), boxes_.end(), boxes.of);
    cuda::write_rows(backend, boxes, own);
    cuda::take_rows(backend, boxes, own, whole);
}

template <class T>
void VectorGather<T>::take_own(Cuda& backend, const T* whole, T* own, Index columns) const {
    cuda::copy_rows(backend, Size{n_} * columns, whole + first_ * columns, own);
}

template class VectorGather<double>;
template class VectorGather<float>;

}  // namespace stiefel
