#include "stiefel/world/cuda/boundary_rows.hpp"

#include "stiefel/core/cuda/side_branch.hpp"
#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stiefel {

namespace {

template <class N>
DeviceVector<N> on_device(Cuda& backend, const HostVector<N>& numbers) {
    DeviceVector<N> there(backend, numbers.size());
    upload(backend, numbers, there);
    return there;
}

template <class T>
Index longest_row_of(const HostCsr<T>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        Index longest = 0;
        for (Index i = 0; i < a.n_rows; ++i)
            longest = std::max(longest, static_cast<Index>(row_ptr[i + 1] - row_ptr[i]));
        return longest;
    });
}

/// What a rank has of a halo, which may be nothing.
Halo::Share share_of(const std::vector<Halo::Share>& shares, int rank) {
    for (const Halo::Share& share : shares) {
        if (share.rank == rank) return share;
    }
    return {.rank = rank, .first = 0, .n = 0};
}

}  // namespace

template <class T>
BoundaryRows<Cuda, T>::BoundaryRows(Cuda& backend, CudaWorld& world, const RowBlocks& blocks, SplitRows<T> split)
    : world_(&world),
      halo_(world, blocks, split.ghosts),
      beyond_(to_device(backend, split.beyond)),
      longest_row_(longest_row_of(split.beyond)),
      boundary_(on_device(backend, split.boundary)),
      beyond_on_host_(std::move(split.beyond)),
      boundary_on_host_(std::move(split.boundary)),
      sent_(on_device(backend, halo_.sent())),
      round_(backend, 1),
      branch_(std::make_shared<const SideBranch>(backend)),
      brought_(backend, boundary_.size()) {
    backend.zero_bytes(round_.data(), round_.bytes());
    // Each learns from its neighbours where among their ghosts its own rows are.
    struct Place {
        Size first, n_ghosts;
    };
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(world.size()));
    for (const Halo::Share& from : halo_.from()) {
        const Place place{from.first, halo_.n_ghosts()};
        out[static_cast<std::size_t>(from.rank)] = bytes_of(std::span(&place, 1));
    }
    const std::vector<Ranks::Bytes> in = world.all_to_all(out);
    double one_sided = 0;
    for (int rank = 0; rank < world.size(); ++rank) {
        const Halo::Share to = share_of(halo_.to(), rank), from = share_of(halo_.from(), rank);
        if (to.n == 0 && from.n == 0) continue;
        if (to.n == 0 || from.n == 0) one_sided = 1;
        std::vector<Place> there;
        append_values(in[static_cast<std::size_t>(rank)], there);
        if (there.empty()) there.push_back({});
        neighbours_.push_back({.to = to,
                               .from = from,
                               .first_there = there.front().first,
                               .n_ghosts = there.front().n_ghosts,
                               .is_reached = world.reaches(rank)});
    }
    world.all_max(&one_sided, 1);
    is_mutual_ = one_sided == 0;
    make_room(backend, 1);
}

template <class T>
void BoundaryRows<Cuda, T>::make_room(Cuda& backend, Index columns) const {
    if (columns <= columns_) return;
    columns_ = columns;
    boxes_ = world_->shared_memory(Size{2} * halo_.n_ghosts() * columns * cuda::letter_bytes);
    if (!world_->needs_hosts()) return;
    std::vector<CudaWorld::ParcelRoom> rooms;
    std::vector<Neighbour*> not_reached;
    for (Neighbour& other : neighbours_) {
        if (other.is_reached) continue;
        not_reached.push_back(&other);
        rooms.push_back({.rank = other.to.rank, .n_out = other.to.n * columns, .n_in = other.from.n * columns});
    }
    const std::vector<CudaWorld::ParcelWay> ways = world_->parcels(rooms, load(backend, round_));
    for (std::size_t i = 0; i < ways.size(); ++i) not_reached[i]->way = ways[i];
    notes_ = DeviceVector<unsigned>(backend, 1 + static_cast<Size>(ways.size()));
    backend.zero_bytes(notes_.data(), notes_.bytes());
}

template <class T>
cuda::Addresses BoundaryRows<Cuda, T>::addresses(Index columns) const {
    cuda::Addresses to;
    for (const Neighbour& other : neighbours_) {
        const int i = to.n++;
        to.first[i + 1] = to.first[i] + other.to.n;
        to.in_parcel[i] = !other.is_reached;
        if (other.is_reached) {
            to.box[i] = boxes_[static_cast<std::size_t>(other.to.rank)];
            to.place[i] = other.first_there * columns;
            to.of_round[i] = other.n_ghosts * columns_;
        } else {
            to.box[i] = other.way.out.parcels;
            to.of_round[i] = other.way.out.parcel_bytes;
            to.ticket = notes_.data();
        }
    }
    return to;
}

template <class T>
cuda::Parcels BoundaryRows<Cuda, T>::parcels() const {
    cuda::Parcels in{.notes = notes_.data() + 1};
    for (const Neighbour& other : neighbours_) {
        if (other.is_reached) continue;
        const int i = in.n++;
        in.parcel[i] = other.way.in.parcels;
        in.parcel_bytes[i] = other.way.in.parcel_bytes;
        in.first[i + 1] = in.first[i] + other.from.n;
        in.place[i] = other.from.first;
    }
    return in;
}

template <class T>
Size BoundaryRows<Cuda, T>::bytes_sent(Cuda& backend, Index columns) const {
    return Size{load(backend, round_)} * halo_.n_sent() * columns * cuda::letter_bytes;
}

template <class T>
void BoundaryRows<Cuda, T>::meet_if_one_sided(Cuda& backend) const {
    if (!is_mutual_) cuda::meet(backend);
}

template <class T>
bool BoundaryRows<Cuda, T>::multiply(Cuda& backend, const SpmvOperator<Cuda, T>& own, const DeviceVector<T>& x,
                                     DeviceVector<T>& y, double* dot) const {
    const auto* const compressed = own.template in_format<DeviceCompressedSell<T>>();
    if (compressed == nullptr || !kernels_may_wait()) return false;
    meet_if_one_sided(backend);
    with_boundary(backend, 1, [&](const auto& boundary) {
        cuda::multiply(backend, *compressed, sent_.data(), addresses(1), boundary, brought_.data(),
                       {.x = x.data(), .y = y.data(), .dot = dot});
    });
    return true;
}

template <class T>
cuda::LetterWays BoundaryRows<Cuda, T>::letter_ways() const {
    return {.sent = sent_.data(),
            .to = addresses(1),
            .box = own_box(),
            .of_round = letters_of_round(),
            .round = round_.data(),
            .world = world_->on_device()};
}

template <class T>
BoundarySlices<T, DeviceMemory> BoundaryRows<Cuda, T>::slices(Cuda& backend, const DeviceCompressedSell<T>& own,
                                                              Index n_blocks, Index warps_of_block, Index runs) const {
    HostVector<Index> row_of_slot(own.row_of_slot.size());
    if (!row_of_slot.empty()) download(backend, own.row_of_slot, row_of_slot);
    const BoundarySlices<T> here =
        slice_boundary(beyond_on_host_, boundary_on_host_, own.n_rows, row_of_slot, n_blocks, warps_of_block, runs);
    return {.slices_of_block = here.slices_of_block,
            .slice = on_device(backend, here.slice),
            .first_outer = on_device(backend, here.first_outer),
            .outer = on_device(backend, here.outer),
            .first_group = on_device(backend, here.first_group),
            .ghost = on_device(backend, here.ghost),
            .values = on_device(backend, here.values)};
}

template <class T>
void BoundaryRows<Cuda, T>::begin(Cuda& backend, DeviceMatrix<const T> x) const {
    make_room(backend, x.n_cols);
    meet_if_one_sided(backend);
    const cuda::Addresses to = addresses(x.n_cols);
    if (to.first[to.n] == 0 && to.ticket == nullptr) return;
    branch_->fork(backend);
    cuda::send(backend, branch_->stream(), x, sent_.data(), to, round_.data());
    is_sending_ = true;
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
void BoundaryRows<Cuda, T>::correct(Cuda& backend, const cuda::Corrected<T>& corrected) const {
    with_boundary(backend, 1, [&](const auto& boundary) { cuda::correct(backend, boundary, corrected); });
}

template <class T>
void BoundaryRows<Cuda, T>::add(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha, double* dot) const {
    with_boundary(backend, x.n_cols, [&](const auto& boundary) { cuda::finish(backend, boundary, x, y, alpha, dot); });
}

/// f(boundary), for which letters of so many columns come.
template <class T>
template <class F>
void BoundaryRows<Cuda, T>::with_boundary(Cuda& backend, Index columns, F&& f) const {
    std::byte* const box = own_box();
    const Size of_round = letters_of_round();
    if (std::exchange(is_sending_, false)) branch_->join(backend);
    if (const cuda::Parcels in = parcels(); in.n > 0) {
        cuda::bring(backend, in, columns, box, of_round, round_.data(), world_->on_device());
    }
    beyond_.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        f(cuda::Boundary<T, Offset>{.n = boundary_.size(),
                                    .nnz = beyond_.nnz(),
                                    .rows = boundary_.data(),
                                    .row_ptr = row_ptr,
                                    .ghosts = beyond_.col_idx.data(),
                                    .values = beyond_.values.data(),
                                    .box = box,
                                    .of_round = of_round,
                                    .round = round_.data(),
                                    .world = world_->on_device()});
    });
}

template class BoundaryRows<Cuda, double>;
template class BoundaryRows<Cuda, float>;

}  // namespace stiefel
