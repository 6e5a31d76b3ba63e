#include "stiefel/preconditioner/fsai/cuda/grown_patterns.hpp"

#include "stiefel/core/cuda/early/fsai.cuh"
#include "stiefel/preconditioner/fsai/cuda/growing_row.cuh"
#include "stiefel/preconditioner/fsai/cuda/row_turns.cuh"
#include "stiefel/preconditioner/fsai/grown_patterns.hpp"

#include <type_traits>

namespace stiefel::fsai {

namespace {

using RowTeam = GrowingRow::Team;

/// Columns around a row of any length that may grow by one more step.
using AllAround = LongTable<2304, (Options::longest_row - Options::columns_a_step + 1) * Options::longest_row>;

/// Columns before i with |(S g')_k| as their weight, 0 of those that the row g has; false where they do not fit.
template <class Table>
__device__ bool look_around(const RowTeam& team, Table& table, const GrowingRow& row, Index i,
                            const RowsView& couplings) {
    Terms& terms = table.terms;
    for (int k = team.lane; k < row.order; k += RowTeam::lanes) {
        const Index col = row.system.cols[k];
        terms.begin[k] = couplings.begin(col);
        terms.length[k] = couplings.length[col];
        terms.factor[k] = row.system.x[k];
    }
    if (team.lane == 0) terms.n = row.order;
    table.clear(team);
    if (!add_terms(team, table, couplings, i - 1, [](double factor, double value) { return factor * value; })) {
        return false;
    }
    for (int p = team.lane; p < table.n; p += RowTeam::lanes) {
        double& weight = table.weights[table.slot[p]];
        const double size = abs(weight);
        weight = size > 0 && row.place(table.keys[table.slot[p]]) < 0 ? size : 0;  // 0 where it is not a number
    }
    team.sync();
    return true;
}

/// The steepest of the columns around, of equals the first, behind the columns of the row; how many there are.
template <class Table>
__device__ int choose(const RowTeam& team, Table& table, GrowingRow& row) {
    struct Steepest {
        unsigned long long bits = 0;
        Index col = none;
        int slot = -1;
    };
    const auto own_steepest = [&] {
        Steepest found;
        for (int p = team.lane; p < table.n; p += RowTeam::lanes) {
            const int slot = table.slot[p];
            const unsigned long long bits = bits_of(table.weights[slot]);
            const Index col = table.keys[slot];
            if (bits > found.bits || (bits == found.bits && col < found.col)) found = {bits, col, slot};
        }
        return found;
    };
    const int most = min(GrowingRow::at_once, GrowingRow::rows - row.order);
    Steepest own = own_steepest();
    int n = 0;
    for (; n < most; ++n) {
        const auto upper = static_cast<unsigned>(own.bits >> 32), lower = static_cast<unsigned>(own.bits);
        const unsigned most_upper = __reduce_max_sync(all_lanes, upper);
        const unsigned most_lower = __reduce_max_sync(all_lanes, upper == most_upper ? lower : 0);
        if (most_upper == 0 && most_lower == 0) break;
        const bool is_steepest = upper == most_upper && lower == most_lower;
        const Index first = __reduce_min_sync(all_lanes, is_steepest ? own.col : none);
        if (is_steepest && own.col == first) {
            row.system.cols[row.order + n] = first;
            table.weights[own.slot] = 0;
            own = own_steepest();
        }
        __syncwarp();
    }
    team.sync();
    return n;
}

struct GrowthRules {
    Size steps;
    double least_pivot;
};

/// Row i in full size; false where the columns around do not fit.
template <class Table>
__device__ bool grow(const RowTeam& team, Table& table, GrowingRow& row, Index i, const ScaledView& s,
                     const RowsView& couplings, const GrowthRules& rules) {
    row.begin(team, s, i);
    double energy = 1;
    for (Size step = 0; step < rules.steps; ++step) {
        if (!look_around(team, table, row, i, couplings)) return false;
        const int count = choose(team, table, row);
        if (count == 0 || !row.take(team, s, count, rules.least_pivot)) break;
        const double before = energy;
        energy = row.minimise(team);
        if (!(energy < (1 - least_gain) * before)) break;
    }
    return true;
}

template <class Table>
__global__ void __launch_bounds__(RowTeam::threads)
    grow_kernel(ScaledView s, RowsView couplings, Turn turn, GrowthRules rules, RowsView to) {
    __shared__ Table table;
    __shared__ GrowingRow row;
    const RowTeam team;
    TakenRows taken(team, turn);
    for (Index i = taken.next(); i >= 0; i = taken.next()) {
        if (grow(team, table, row, i, s, couplings, rules)) {
            for (int k = team.lane; k < row.order; k += RowTeam::lanes) {
                to.cols[to.begin(i) + k] = row.system.cols[k];
                to.values[to.begin(i) + k] = row.system.x[k];
            }
            if (team.lane == 0) to.length[i] = row.order;
        } else if (team.lane == 0) {
            turn.leave(i, Table::most + 1);
        }
        team.sync();
    }
}

}  // namespace

Rows grown_patterns(Cuda& backend, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots,
                    Rows& couplings, Size steps, double least_pivot) {
    Rows grown = Rows::with_room(backend, a);
    Turns turns(backend, a.n_rows);
    const auto run = [&]<class Table>(Room room, std::type_identity<Table>) {
        const Turn turn = turns.next(room);
        const unsigned blocks = Turns::blocks(backend, turn, RowTeam::in_block, sizeof(Table) + sizeof(GrowingRow));
        grow_kernel<Table><<<blocks, RowTeam::threads, 0, backend.stream()>>>(
            {cuda::CsrView<double>(a), inverse_roots.data()}, couplings.view(), turn, {steps, least_pivot},
            grown.view());
        check_cuda(cudaGetLastError(), "growing rows of fsai");
    };
    run(Room::some, std::type_identity<SomeColumns>());
    run(Room::all, std::type_identity<AllAround>());
    return grown;
}

}  // namespace stiefel::fsai
