#include "stiefel/preconditioner/fsai/cuda/couplings.hpp"

#include "stiefel/core/cuda/early/fsai.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/cuda/grown_patterns.hpp"
#include "stiefel/preconditioner/fsai/cuda/row_turns.cuh"

#include <limits>
#include <type_traits>
#include <utility>

namespace stiefel::fsai {

namespace {

/// Some lanes a row: s_ij above the threshold in size and the diagonal, at most Options::longest_row of them, the
/// largest; of equals those in the first columns. Which is the least of these is found bit by bit.
template <int lanes>
__global__ void strong_kernel(ScaledView s, double threshold, RowsView to) {
    const RowLanes<lanes> at;
    if (at.row >= s.a.n_rows) return;
    constexpr Index others = Options::longest_row - 1;
    const unsigned first_lane = threadIdx.x % warp_size - static_cast<unsigned>(at.lane);
    const unsigned group = (lanes == warp_size ? all_lanes : (1u << lanes % warp_size) - 1) << first_lane;
    const unsigned before = group & ((1u << threadIdx.x % warp_size) - 1);
    const auto i = static_cast<Index>(at.row);
    const Size begin = s.a.row_ptr[i], end = s.a.row_ptr[Size{i} + 1];
    const auto is_strong = [&](Index col, double weight) { return col == i || weight > threshold; };
    const auto number = [&](auto&& counts) {
        Index own = 0;
        for (Size e = begin + at.lane; e < end; e += lanes) {
            const Index col = s.a.col_idx[e];
            const double weight = abs(s.value(e, i));
            own += is_strong(col, weight) && counts(col, bits_of(weight)) ? 1 : 0;
        }
#pragma unroll
        for (int step = lanes / 2; step > 0; step /= 2) own += __shfl_xor_sync(group, own, step);
        return own;
    };
    const auto at_least = [&](unsigned long long least) {
        return number([&](Index col, unsigned long long bits) { return col != i && bits >= least; });
    };
    const Index all = number([](Index, unsigned long long) { return true; });
    const bool is_limited = all > Options::longest_row;
    unsigned long long cut = 0;
    Index ties = std::numeric_limits<Index>::max();
    if (is_limited) {
        Index above = all;
        for (int bit = 62; bit >= 0 && above != others; --bit) {
            const unsigned long long higher = cut | 1ull << bit;
            const Index found = at_least(higher);
            if (found < others) continue;
            cut = higher;
            above = found;
        }
        if (above != others) ties = others - at_least(cut + 1);
    }
    Size place = to.begin(i);
    for (Size base = begin; base < end; base += lanes) {
        const Size e = base + at.lane;
        const Index col = e < end ? s.a.col_idx[e] : -1;
        const double value = e < end ? s.value(e, i) : 0, weight = abs(value);
        const unsigned long long bits = bits_of(weight);
        const bool counts = e < end && is_strong(col, weight);
        const bool is_tie = is_limited && counts && col != i && bits == cut;
        const unsigned all_ties = __ballot_sync(group, is_tie);
        const bool stays =
            counts && (!is_limited || col == i || bits > cut || (is_tie && __popc(all_ties & before) < ties));
        const unsigned all_stay = __ballot_sync(group, stays);
        if (stays) {
            const Size mine = place + __popc(all_stay & before);
            to.cols[mine] = col;
            to.values[mine] = value;
        }
        place += __popc(all_stay);
        ties -= __popc(all_ties);
    }
    if (at.lane == 0) to.length[i] = is_limited ? Options::longest_row : all;
}

template <class Table>
__global__ void __launch_bounds__(Table::Team::threads) multiply_kernel(RowProduct of, Turn turn, RowsView to) {
    __shared__ Table table;
    const typename Table::Team team;
    TakenRows taken(team, turn);
    for (Index i = taken.next(); i >= 0; i = taken.next()) {
        const int n = find_columns(team, table, i, of);
        if (n < 0) {
            if (team.lane == 0) turn.leave(i, -n);
            continue;
        }
        const Placed<Table> own(team, table, n);
        own.for_each(team, n, [&](int u, int k) {
            to.cols[to.begin(i) + own.place[u]] = own.col[u];
            to.values[to.begin(i) + own.place[u]] = table.weight(k);
        });
        if (team.lane == 0) to.length[i] = n;
    }
}

void multiply(Cuda& backend, Index n_rows, const RowProduct& of, const RowsView& to) {
    Turns turns(backend, n_rows);
    const auto run = [&]<class Table>(Room room, std::type_identity<Table>) {
        using Team = typename Table::Team;
        const Turn turn = turns.next(room);
        const unsigned blocks = Turns::blocks(backend, turn, Team::in_block, sizeof(Table));
        multiply_kernel<Table><<<blocks, Team::threads, 0, backend.stream()>>>(of, turn, to);
    };
    run(Room::some, std::type_identity<SomeColumns>());
    run(Room::all, std::type_identity<AllColumns>());
    check_cuda(cudaGetLastError(), "multiplying couplings");
}

Rows strong_couplings(Cuda& backend, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots,
                      double threshold) {
    Rows strong = Rows::in_places_of(backend, a);
    const cuda::CsrView<double> view(a);
    const auto start = [&]<int lanes>(std::integral_constant<int, lanes>) {
        strong_kernel<lanes><<<RowLanes<lanes>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
            ScaledView{view, inverse_roots.data()}, threshold, strong.view());
    };
    if (view.mean_row() <= 24) {
        start(std::integral_constant<int, 8>());
    } else {
        start(std::integral_constant<int, warp_size>());
    }
    check_cuda(cudaGetLastError(), "finding strong couplings");
    return strong;
}

template <int lanes>
__global__ void put_together_kernel(Index n_rows, RowsView from, cuda::OffsetsView to_ptr, Index* cols,
                                    double* values) {
    const RowLanes<lanes> at;
    if (at.row >= n_rows) return;
    const Size begin = from.begin(static_cast<Index>(at.row)), to = to_ptr[at.row];
    for (Index k = at.lane; k < from.length[at.row]; k += lanes) {
        cols[to + k] = from.cols[begin + k];
        values[to + k] = from.values[begin + k];
    }
}

}  // namespace

DeviceCsr<double> put_together(Cuda& backend, Rows& rows, RowOffsets<DeviceMemory> row_ptr, Size total) {
    const Index n_rows = rows.n_rows();
    DeviceCsr<double> csr;
    csr.n_rows = csr.n_cols = n_rows;
    csr.row_ptr = std::move(row_ptr);
    csr.col_idx = DeviceVector<Index>(backend, total);
    csr.values = DeviceVector<double>(backend, total);
    with_row_lanes(cuda::CsrView<double>(csr).mean_row(), [&](auto lanes) {
        put_together_kernel<lanes()><<<RowLanes<lanes()>::blocks(n_rows), row_threads, 0, backend.stream()>>>(
            n_rows, rows.view(), cuda::OffsetsView(csr.row_ptr), csr.col_idx.data(), csr.values.data());
    });
    check_cuda(cudaGetLastError(), "putting rows together");
    return csr;
}

PatternFactors::PatternFactors(Cuda& backend, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots,
                               const Options& options, double least_pivot)
    : power_(options.steps > 0 ? 1 : options.power),
      right_(strong_couplings(backend, a, inverse_roots, options.threshold)) {
    if (options.steps > 0) right_ = grown_patterns(backend, a, inverse_roots, right_, options.steps, least_pivot);
    for (Size k = 2; k < power_; ++k) {
        Rows next = Rows::with_room(backend, a);
        multiply(backend, a.n_rows, {k == 2 ? right_.view() : before_last_.back().view(), right_.view(), true, false},
                 next.view());
        before_last_.clear();
        before_last_.push_back(std::move(next));
    }
}

void refuse_bad_row(Cuda& backend, const DeviceVector<double>& diagonal, Index first_bad_row) {
    if (first_bad_row == amg::LevelFacts::none) return;
    refuse_diagonal(first_bad_row, load(backend, diagonal.data() + first_bad_row));
}

DeviceVector<double> inverse_roots(Cuda& backend, const DeviceCsr<double>& a) {
    require(a.n_rows == a.n_cols, "A must be square");
    amg::DeviceMatrix found = amg::look_at_diagonal(backend, a);
    refuse_bad_row(backend, found.diagonal, load(backend, found.facts).first_bad_row);
    return std::move(found.inverse_root);
}

DeviceCsr<double> row_patterns(Cuda& backend, const DeviceCsr<double>& a, const Options& options, double least_pivot) {
    const DeviceVector<double> roots = inverse_roots(backend, a);
    PatternFactors factors(backend, a, roots, options, least_pivot);
    Rows rows = Rows::with_room(backend, a);
    multiply(backend, a.n_rows, {factors.left(), factors.right(), factors.has_left(), true}, rows.view());
    RowOffsets<DeviceMemory> row_ptr = rows.offsets(backend);
    const Size total =
        row_ptr.visit([&](const auto* offsets) -> Size { return load(backend, offsets + rows.n_rows()); });
    return put_together(backend, rows, std::move(row_ptr), total);
}

}  // namespace stiefel::fsai
