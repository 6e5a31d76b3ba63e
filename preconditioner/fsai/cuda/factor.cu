#include "stiefel/preconditioner/fsai/cuda/factor.hpp"

#include "stiefel/core/cuda/early/fsai.cuh"
#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/fsai/cuda/row_turns.cuh"
#include "stiefel/preconditioner/fsai/grown_patterns.hpp"
#include "stiefel/spmv/products/cuda/transpose.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace stiefel::fsai {

namespace {

/// Where a team works: the columns are found before the system is gathered.
template <class Table>
union Workplace {
    Table table;
    LocalSystem<Table::rows> system;
};

struct RowRules {
    double drop, least_pivot;
};

/// What the host waits for.
struct Told {
    unsigned long long jacobi_rows;
    Size entries;
    Index longest[2];  ///< row, column
    Index bad_row;
};

__global__ void tell_kernel(Index n_rows, cuda::OffsetsView row_ptr, const amg::LevelFacts* facts, Told* told) {
    told->entries = row_ptr[n_rows];
    told->bad_row = facts->first_bad_row;
}

/// G D^-1/2 row by row, and what is found out of it on the way.
struct FoundRows {
    RowsView rows;
    Index* in_column;  ///< entries
    Told* told;
};

/// x, as row i without what is 0; all of it fails but for the diagonal where the system does.
template <class Team, int rows>
__device__ void keep(const Team& team, LocalSystem<rows>& system, int order,
                     const double (&x)[rows_of_lane<Team, rows>], Index i, const double* inverse_roots,
                     const FoundRows& found) {
    const int last = order - 1;
    const bool fails = system.fails != 0;
    team.sync();
#pragma unroll
    for (int u = 0; u < rows_of_lane<Team, rows>; ++u) {
        const int r = team.lane + u * Team::lanes;
        if (r < order) system.x[r] = fails ? (r == last ? 1 : 0) : x[u];
    }
    team.sync();
    const RowsView& to = found.rows;
    for (int r = team.lane; r < order; r += Team::lanes) {
        if (system.x[r] == 0 && r != last) continue;
        int before = 0;
        for (int q = 0; q < r; ++q) before += system.x[q] != 0 ? 1 : 0;
        const Size place = to.begin(i) + before;
        const Index col = system.cols[r];
        to.cols[place] = col;
        to.values[place] = system.x[r] * inverse_roots[col];
        if (r == last) to.length[i] = before + 1;
        atomicAdd(found.in_column + col, 1);
    }
    if (fails && team.lane == 0) atomicAdd(&found.told->jacobi_rows, 1ull);
    team.sync();
}

/// Rows of G, a team each.
template <class Table>
__global__ void __launch_bounds__(Table::Team::threads)
    rows_kernel(ScaledView s, RowProduct pattern, Turn turn, RowRules rules, FoundRows found) {
    using Team = typename Table::Team;
    __shared__ Workplace<Table> places[Team::in_block];
    const Team team;
    Workplace<Table>& at = places[team.number];
    TakenRows taken(team, turn);
    for (Index i = taken.next(); i >= 0; i = taken.next()) {
        const int order = find_columns(team, at.table, i, pattern);
        if (order < 0) {
            if (team.lane == 0) turn.leave(i, -order);
            continue;
        }
        const Placed<Table> own(team, at.table, order);
        team.sync();
        LocalSystem<Table::rows>& system = at.system;
        own.for_each(team, order, [&](int u, int) { system.cols[own.place[u]] = own.col[u]; });
        if (team.lane == 0) system.fails = 0;
        team.sync();
        gather(team, s, system, order);
        factor(team, system, order, rules.least_pivot);
        double x[rows_of_lane<Team, Table::rows>];
        solve(team, system, order, x);
        if (rules.drop > 0) drop_small(team, system, order, rules.drop, x);
        keep(team, system, order, x, i, s.inverse_roots, found);
    }
}

/// For G, its transpose and what makes it, and both in the formats of products.
void require_room(const Cuda& backend, Size entries, Index n_rows) {
    constexpr Size bytes_an_entry = 60, bytes_a_row = 80;
    backend.require_free("the factor of fsai", bytes_an_entry * entries + bytes_a_row * n_rows);
}

/// For rows apart from one another and what they are found from.
void require_room_of_rows(const Cuda& backend, const DeviceCsr<double>& a, const Options& options) {
    constexpr Size bytes_an_entry = 12, bytes_a_row = 60;
    const Size before = options.steps > 0 ? 1 : std::clamp(options.power - 2, Size{0}, Size{2});
    const Size places = Size{a.n_rows} * Options::longest_row * (1 + before);
    backend.require_free("the rows of fsai", bytes_an_entry * (places + a.nnz()) + bytes_a_row * a.n_rows);
}

/// Of a row of the pattern before it is cut.
Size most_columns_of(const DeviceCsr<double>& a, const Options& options) {
    if (options.steps > 0) return most_grown(options.steps);
    const Size power = options.power;
    const bool is_known = a.shares.longest_row > 0;
    const Size of_row = is_known ? std::min(a.shares.longest_row, Options::longest_row) : Options::longest_row;
    if (power == 1) return of_row;
    return power == 2 ? of_row * of_row : Options::longest_row * of_row;
}

void compute_rows(Cuda& backend, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots,
                  const Options& options, double least_pivot, const FoundRows& found) {
    PatternFactors factors(backend, a, inverse_roots, options, least_pivot);
    const RowProduct pattern{factors.left(), factors.right(), factors.has_left(), true};
    Turns turns(backend, a.n_rows);
    const Size most = most_columns_of(a, options);
    bool all_fit = false;
    const auto run = [&]<class Table>(Room room, std::type_identity<Table>) {
        if (all_fit) return;
        all_fit = most_columns(static_cast<int>(room)) >= most;
        using Team = typename Table::Team;
        const Turn turn = turns.next(room);
        const unsigned blocks = Turns::blocks(backend, turn, Team::in_block, Team::in_block * sizeof(Workplace<Table>));
        rows_kernel<Table><<<blocks, Team::threads, 0, backend.stream()>>>(
            {cuda::CsrView<double>(a), inverse_roots.data()}, pattern, turn, {options.drop, least_pivot}, found);
        check_cuda(cudaGetLastError(), "computing rows of fsai");
    };
    // Of a small system all rows are begun at once, and each kernel takes as long as its longest row. Where rows of A
    // are long, so are most of the pattern.
    constexpr Index few = 1 << 12, some = 1 << 14;
    const double mean_row = cuda::CsrView<double>(a).mean_row();
    const bool has_short = mean_row < 24, has_shortest = mean_row < 6;
    if (a.n_rows > some && has_shortest) run(Room::of_8, std::type_identity<ShortTable<8>>());
    if (a.n_rows > some && has_short) run(Room::of_16, std::type_identity<ShortTable<16>>());
    if (a.n_rows > few && has_short) run(Room::of_32, std::type_identity<ShortTable<32>>());
    run(Room::some, std::type_identity<SomeColumns>());
    run(Room::all, std::type_identity<AllColumns>());
}

}  // namespace

DeviceFactor factor(Cuda& backend, const DeviceCsr<double>& a, const Options& options, double least_pivot) {
    check(options);
    require(a.n_rows == a.n_cols, "fsai: A must be square");
    require_room_of_rows(backend, a, options);
    amg::DeviceMatrix looked = amg::look_at_diagonal(backend, a);
    DeviceVector<Told> told(backend, 1);
    backend.zero_bytes(told.data(), told.bytes());
    DeviceVector<Index> in_column(backend, a.n_rows);
    backend.zero_bytes(in_column.data(), in_column.bytes());
    Rows rows = Rows::with_room(backend, a);
    compute_rows(backend, a, looked.inverse_root, options, least_pivot, {rows.view(), in_column.data(), told.data()});
    auto [row_ptr, columns] = cuda::row_offsets_from_counts(
        backend, {&rows.lengths(), &in_column}, Size{a.n_rows} * Options::longest_row, told.data()->longest);
    tell_kernel<<<1, 1, 0, backend.stream()>>>(a.n_rows, cuda::OffsetsView(row_ptr), looked.facts.data(), told.data());
    check_cuda(cudaGetLastError(), "telling of the rows of fsai");
    const Told facts = load(backend, told);
    refuse_bad_row(backend, looked.diagonal, facts.bad_row);
    require_room(backend, facts.entries, a.n_rows);
    DeviceFactor found{.lower = put_together(backend, rows, std::move(row_ptr), facts.entries),
                       .upper = {},
                       .longest_lower = facts.longest[0],
                       .longest_upper = facts.longest[1],
                       .jacobi_rows = static_cast<Index>(facts.jacobi_rows)};
    found.upper = facts.longest[1] > cuda::longest_ordered_column
                      ? transpose(backend, found.lower)
                      : cuda::transpose(backend, found.lower, in_column, std::move(columns));
    return found;
}

}  // namespace stiefel::fsai
