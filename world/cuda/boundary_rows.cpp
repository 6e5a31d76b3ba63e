#include "stiefel/world/cuda/boundary_rows.hpp"

#include "stiefel/world/cuda/boundary_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stiefel {

namespace {

DeviceVector<Index> on_device(Cuda& backend, const HostVector<Index>& numbers) {
    DeviceVector<Index> there(backend, numbers.size());
    upload(backend, numbers, there);
    return there;
}

}  // namespace

template <class T>
BoundaryRows<Cuda, T>::BoundaryRows(Cuda& backend, CudaWorld& world, const RowBlocks& blocks, SplitRows<T> split)
    : world_(&world),
      halo_(world, blocks, split.ghosts),
      beyond_(to_device(backend, split.beyond)),
      boundary_(on_device(backend, split.boundary)),
      sent_(on_device(backend, halo_.sent())),
      round_(backend, 1) {
    backend.zero_bytes(round_.data(), round_.bytes());
    // Each learns from its neighbours where among their ghosts its own rows are.
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(world.size()));
    for (const Halo::Share& from : halo_.from()) {
        const Place place{from.first, halo_.n_ghosts()};
        Ranks::Bytes& letter = out[static_cast<std::size_t>(from.rank)];
        letter.resize(sizeof place);
        std::memcpy(letter.data(), &place, sizeof place);
    }
    const std::vector<Ranks::Bytes> in = world.all_to_all(out);
    for (const Halo::Share& to : halo_.to()) {
        std::memcpy(&places_.emplace_back(), in[static_cast<std::size_t>(to.rank)].data(), sizeof(Place));
    }
    const auto ranks_of = [](const std::vector<Halo::Share>& shares) {
        std::vector<int> ranks;
        for (const Halo::Share& share : shares) ranks.push_back(share.rank);
        return ranks;
    };
    double one_sided = ranks_of(halo_.to()) == ranks_of(halo_.from()) ? 0 : 1;
    world.all_max(&one_sided, 1);
    is_mutual_ = one_sided == 0;
    make_room(1);
}

template <class T>
void BoundaryRows<Cuda, T>::make_room(Index columns) const {
    if (columns <= columns_) return;
    columns_ = columns;
    boxes_ = world_->shared_memory(Size{2} * halo_.n_ghosts() * columns * cuda::letter_bytes);
}

template <class T>
Size BoundaryRows<Cuda, T>::bytes_sent(Cuda& backend, Index columns) const {
    return Size{load(backend, round_)} * halo_.n_sent() * columns * cuda::letter_bytes;
}

template <class T>
void BoundaryRows<Cuda, T>::begin(Cuda& backend, DeviceMatrix<const T> x) const {
    make_room(x.n_cols);
    if (!is_mutual_) cuda::meet(backend);
    if (halo_.to().empty()) return;
    cuda::Addresses to{.n = static_cast<int>(places_.size())};
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Halo::Share& share = halo_.to()[i];
        to.first[i] = share.first;
        to.first[i + 1] = share.first + share.n;
        to.box[i] = boxes_[static_cast<std::size_t>(share.rank)];
        to.place[i] = places_[i].first * x.n_cols;
        to.of_round[i] = places_[i].n_ghosts * columns_;
    }
    cuda::send(backend, x, sent_.data(), to, round_.data());
}

template <class T>
void BoundaryRows<Cuda, T>::finish(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha) const {
    add(backend, x, y, alpha, nullptr);
}

template <class T>
void BoundaryRows<Cuda, T>::finish(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, double* dot) const {
    add(backend, x, y, T{1}, dot);
}

template <class T>
void BoundaryRows<Cuda, T>::add(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha, double* dot) const {
    beyond_.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        const cuda::Boundary<T, Offset> boundary{.n = boundary_.size(),
                                                 .rows = boundary_.data(),
                                                 .row_ptr = row_ptr,
                                                 .ghosts = beyond_.col_idx.data(),
                                                 .values = beyond_.values.data(),
                                                 .box = boxes_[static_cast<std::size_t>(world_->rank())],
                                                 .of_round = Size{halo_.n_ghosts()} * columns_,
                                                 .round = round_.data()};
        cuda::finish(backend, boundary, x, y, alpha, dot);
    });
}

template class BoundaryRows<Cuda, double>;
template class BoundaryRows<Cuda, float>;

}  // namespace stiefel
