#include "stiefel/preconditioner/fsai/cuda/factor.hpp"

#include "stiefel/core/cuda/early/fsai.cuh"
#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/fsai/cuda/row_columns.cuh"

#include <type_traits>
#include <utility>

namespace stiefel::fsai {

namespace {

/// Where a team works: the columns are found before the system is gathered.
template <class Table, int lanes>
union Workplace {
    Table table;
    LocalSystem<lanes> system;
};

struct RowRules {
    double drop, least_pivot;
};

/// x, an element each lane, as row i without what is 0.
template <int lanes>
__device__ void keep(const Team<lanes>& team, LocalSystem<lanes>& system, int order, double x, Index i,
                     const RowsView& to) {
    const bool is_last = team.lane == order - 1;
    team.sync();
    if (team.lane < order) system.x[team.lane] = x;
    team.sync();
    if (team.lane >= order || (x == 0 && !is_last)) return;
    int before = 0;
    for (int q = 0; q < team.lane; ++q) before += system.x[q] != 0 ? 1 : 0;
    const Size place = to.begin(i) + before;
    to.cols[place] = system.cols[team.lane];
    to.values[place] = x;
    if (is_last) to.length[i] = before + 1;
}

/// Rows of G, a team each.
template <class Table, int lanes>
__global__ void __launch_bounds__(Team<lanes>::threads)
    rows_kernel(ScaledView s, RowProduct pattern, Turn turn, RowRules rules, RowsView g, Size* jacobi_rows) {
    __shared__ Workplace<Table, lanes> places[Team<lanes>::in_block];
    const Team<lanes> team;
    Workplace<Table, lanes>& at = places[team.number];
    TakenRows<lanes> taken(team, turn);
    for (Index i = taken.next(); i >= 0; i = taken.next()) {
        const int order = find_columns(team, at.table, i, pattern);
        if (order < 0) {
            if (team.lane == 0) turn.leave(i, -order);
            continue;
        }
        const Placed own(team, at.table, order);
        team.sync();
        LocalSystem<lanes>& system = at.system;
        if (team.lane < order) system.cols[own.place] = own.col;
        if (team.lane == 0) system.fails = 0;
        team.sync();
        if (team.lane < order) gather(s, system, team.lane, order);
        team.sync();
        factor(team, system, order, rules.least_pivot);
        double x = solve(team, system, order);
        if (rules.drop > 0) x = dropped(team, system, order, rules.drop, x);
        const bool fails = system.fails != 0, is_last = team.lane == order - 1;
        keep(team, system, order, fails ? (is_last ? 1 : 0) : x, i, g);
        if (fails && is_last) atomicAdd(reinterpret_cast<unsigned long long*>(jacobi_rows), 1ull);
    }
}

/// For G, its transpose and what makes it, and both in the formats of products.
void require_room(const Cuda& backend, Size entries, Index n_rows) {
    constexpr Size bytes_an_entry = 60, bytes_a_row = 80;
    backend.require_free("the factor of fsai", bytes_an_entry * entries + bytes_a_row * n_rows);
}

/// For rows apart from one another and what they are found from.
void require_room_of_rows(const Cuda& backend, const DeviceCsr<double>& a, Size power) {
    constexpr Size bytes_an_entry = 12, bytes_a_row = 60;
    const Size places = Size{a.n_rows} * Options::longest_row * (power > 3 ? 3 : power > 2 ? 2 : 1);
    backend.require_free("the rows of fsai", bytes_an_entry * (places + a.nnz()) + bytes_a_row * a.n_rows);
}

}  // namespace

DeviceFactor factor(Cuda& backend, const DeviceCsr<double>& a, const Options& options, double least_pivot) {
    check(options);
    require(a.n_rows == a.n_cols, "fsai: A must be square");
    require_room_of_rows(backend, a, options.power);
    amg::DeviceMatrix looked = amg::look_at_diagonal(backend, a);
    DeviceFactor found;
    enum { jacobi_rows, total, bad_row, n_told };
    DeviceVector<Size> told(backend, n_told);
    backend.zero_bytes(told.data(), told.bytes());
    backend.copy_bytes(told.data() + bad_row, &looked.facts.data()->first_bad_row, sizeof(Index));
    Rows rows = Rows::with_room(backend, a);
    {
        PatternFactors factors(backend, a, looked.inverse_root, options);
        const RowProduct pattern{factors.left(), factors.right(), factors.has_left(), true};
        constexpr int long_row = Options::longest_row;
        Turns turns(backend, a.n_rows);
        const auto run = [&]<class Table, int lanes>(Room room, std::type_identity<Table>,
                                                     std::integral_constant<int, lanes>) {
            const Turn turn = turns.next(room);
            rows_kernel<Table, lanes>
                <<<Turns::blocks(turn, Team<lanes>::in_block), Team<lanes>::threads, 0, backend.stream()>>>(
                    {cuda::CsrView<double>(a), looked.inverse_root.data()}, pattern, turn, {options.drop, least_pivot},
                    rows.view(), told.data() + jacobi_rows);
            check_cuda(cudaGetLastError(), "computing rows of fsai");
        };
        // Of a small system all rows are begun at once, and each kernel takes as long as its longest row.
        constexpr Index few = 1 << 12, some = 1 << 14;
        if (a.n_rows > some) run(Room::of_16, std::type_identity<ShortTable<16>>(), std::integral_constant<int, 16>());
        if (a.n_rows > few) run(Room::of_32, std::type_identity<ShortTable<32>>(), std::integral_constant<int, 32>());
        run(Room::some, std::type_identity<SomeColumns>(), std::integral_constant<int, long_row>());
        run(Room::all, std::type_identity<AllColumns>(), std::integral_constant<int, long_row>());
    }
    const cuda::Offsets<Index> offsets(backend, rows.length());
    backend.copy_bytes(told.data() + total, offsets.total(), sizeof(Size));
    HostVector<Size> facts(n_told);
    download(backend, told, facts);
    refuse_bad_row(backend, looked.diagonal, static_cast<Index>(facts[bad_row]));
    require_room(backend, facts[total], a.n_rows);
    found.g = put_together(backend, rows, offsets, facts[total]);
    found.jacobi_rows = static_cast<Index>(facts[jacobi_rows]);
    found.inverse_roots = std::move(looked.inverse_root);
    return found;
}

}  // namespace stiefel::fsai
