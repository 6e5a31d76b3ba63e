#pragma once

#include "stiefel/spmv/cuda/spmm/panel.cuh"

namespace stiefel::cuda {

// Several threads a row of Y, for CSR: `per_row` neighbouring threads in teams across the columns, which share the
// row's entries.

/// Entries of a row that a team has under way at once.
inline constexpr int team_batch = 4;

/// Threads of a block, at most.
inline constexpr int most_team_threads = 256;

/// The longest row that `per_row` threads multiply by themselves: eight rounds of 8 columns in double.
constexpr Index longest_team_row(int per_row) {
    return 8 * per_row;
}

/// What team `team` of `teams` takes of a row: every teams-th entry, so that teams side by side read side by side. The
/// number of teams is a constant where it can be.
template <class T, class Teams>
struct TeamEntries {
    const Index* col_idx;
    const T* values;
    Index left;
    Teams teams;

    template <class Offset>
    __device__ TeamEntries(const DeviceCsrRows<T, Offset>& rows, const DeviceEntries<StepOne>& row, int team,
                           Teams teams_)
        : col_idx(rows.col_idx + row.first + team),
          values(rows.values + row.first + team),
          left((row.count - team + teams_ - 1) / teams_),
          teams(teams_) {}

    __device__ void next() {
        col_idx += team_batch * teams;
        values += team_batch * teams;
        left -= team_batch;
    }
};

/// Up to `team_batch` entries in registers. None is read that there is not: teams with one more or less than others do
/// not wait for each other. What is not there is left without a value, and never used: given one, compilers read the
/// entries one after the other.
template <class T>
struct EntryBatch {
    unsigned column[team_batch];
    T value[team_batch];

    template <class Teams>
    __device__ __forceinline__ explicit EntryBatch(const TeamEntries<T, Teams>& from) {
#pragma unroll
        for (int u = 0; u < team_batch; ++u) {
            if (u < from.left) {
                column[u] = static_cast<unsigned>(from.col_idx[u * from.teams]);
                value[u] = from.values[u * from.teams];
            }
        }
    }

    template <class Shape>
    __device__ __forceinline__ void add_to(RowSums<T, Shape>& sums, Index left, const T* x, unsigned x_step) const {
        using Piece = typename RowSums<T, Shape>::Piece;
        static_assert(Shape::pieces == 1);
        Piece piece[team_batch];
#pragma unroll
        for (int u = 0; u < team_batch; ++u) {
            if (u < left) piece[u] = *reinterpret_cast<const Piece*>(row_at(x, column[u], x_step));
        }
#pragma unroll
        for (int u = 0; u < team_batch; ++u) {
            if (u < left) {
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) sums.value[0][c] += value[u] * piece[u].value[c];
            }
        }
    }
};

/// Adds all that a team has of a row; `first` are its first entries, x points to the thread's first column. For most
/// rows that is all; in others the next entries are under way while one waits for X. Written out like this, compilers
/// let all reads of a batch go before they use the first, which is what the time depends on.
template <class Shape, class T, class Teams>
__device__ __forceinline__ RowSums<T, Shape> team_sums(const EntryBatch<T>& first, TeamEntries<T, Teams> from,
                                                       const T* x, unsigned x_step) {
    RowSums<T, Shape> sums;
    first.add_to(sums, from.left, x, x_step);
    from.next();
    if (from.left > 0) {
        EntryBatch<T> entries(from);
#pragma unroll 1
        for (Index left = from.left; left > 0; left = from.left) {
            from.next();
            const EntryBatch<T> next(from);
            entries.add_to(sums, left, x, x_step);
            entries = next;
        }
    }
    return sums;
}

/// What a thread's team has of a row, added up over the teams among `per_row` neighbouring threads, which all call this
/// together, and stored if it is a row of Y.
template <int per_row, class Shape, class T, class Teams>
__device__ __forceinline__ void multiply_row(const EntryBatch<T>& entries, const TeamEntries<T, Teams>& from,
                                             bool is_row, Index row, const PanelArguments<T>& s,
                                             const PieceColumns<T, Shape>& pieces) {
    const bool stores = is_row && threadIdx.x % per_row < Shape::lanes;
    T* const y = row_at(s.y, static_cast<unsigned>(row), s.y_step);
    Index first = 0;
    do {
        const Index column = first + pieces.first[0];
        const bool inside = Shape::exact || column < s.k;
        RowSums<T, Shape> sums;
        if (inside) sums = team_sums<Shape>(entries, from, s.x + column, s.x_step);
        sums.template add_teams<per_row>();
        if (inside && stores) sums.store(y + first, s, pieces);
        first += Shape::columns;
    } while (!Shape::exact && first < s.k);
}

/// f(per_row) as a constant, at least a team.
template <int lanes, class F>
void with_threads_a_row(int per_row, F&& f) {
    if constexpr (lanes <= 4) {
        if (per_row == 4) return f(std::integral_constant<int, 4>());
    }
    if constexpr (lanes <= 8) {
        if (per_row == 8) return f(std::integral_constant<int, 8>());
    }
    if constexpr (lanes <= 16) {
        if (per_row == 16) return f(std::integral_constant<int, 16>());
    }
    f(std::integral_constant<int, warp_size>());
}

/// Threads a row: one round for a row of the mean length, or `usual` entries where that leaves room for every thread.
inline int threads_a_row(const Cuda& backend, Index n_rows, Size nnz, Size usual, int lanes) {
    const Size at_once = Size{2048} * backend.device().multiprocessors;
    const Size mean = nnz / std::max(n_rows, 1);
    int per_row = std::max(lanes, 4);
    while (per_row < warp_size) {
        const Size in_a_round = per_row / lanes * team_batch;
        const Size threads = Size{2} * per_row * n_rows;
        const bool helps = in_a_round < usual && threads <= at_once * 3 / 4;
        const bool is_needed = in_a_round < mean && threads <= at_once * 4 / 3;
        if (!helps && !is_needed) break;
        per_row *= 2;
    }
    return per_row;
}

/// The shape for teams of a panel's shape: a piece a thread.
template <class Given>
using TeamShape = PanelShape<Given::lanes * Given::pieces, Given::width, 1, Given::exact>;

}  // namespace stiefel::cuda
