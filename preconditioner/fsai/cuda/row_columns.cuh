#pragma once

#include "stiefel/preconditioner/fsai/cuda/couplings.hpp"
#include "stiefel/preconditioner/fsai/cuda/local_systems.cuh"

#include <limits>

// The columns of a row of a product, found by a team in tables in shared memory. A row that has more of them than fit
// is left to a kernel with more room (row_turns.cuh).

namespace stiefel::fsai {

namespace {

__device__ inline unsigned long long bits_of(double weight) {  // ascend as numbers do that are not negative
    return static_cast<unsigned long long>(__double_as_longlong(weight));
}

constexpr Index none = std::numeric_limits<Index>::max();

/// Row i of left right, or of right; all of it or up to column i, which it has in any case.
struct RowProduct {
    RowsView left, right;
    bool has_left;
    bool up_to_diagonal;
};

/// The rows of right that are added up for row i, in shared memory: lanes look them up side by side.
struct Terms {
    Size begin[Options::longest_row];
    double factor[Options::longest_row];
    Index length[Options::longest_row];
    int n;
    int n_lower;  ///< of columns up to i, each of which is a column of the product

    template <class Team>
    __device__ void load(const Team& team, Index i, const RowProduct& of) {
        if (team.lane == 0) {
            n = of.has_left ? of.left.length[i] : 1;
            n_lower = 0;
        }
        team.sync();
        const Size first = of.has_left ? of.left.begin(i) : 0;
        for (int k = team.lane; k < n; k += Team::lanes) {
            const Index j = of.has_left ? of.left.cols[first + k] : i;
            begin[k] = of.right.begin(j);
            length[k] = of.right.length[j];
            factor[k] = of.has_left ? abs(of.left.values[first + k]) : 1;
            if (j <= i) atomicAdd(&n_lower, 1);
        }
        team.sync();
    }
};

/// A place for a column in a table of so many slots that has more free ones than threads look for one at a time.
template <int slots>
__device__ int slot_of(Index* keys, Index col, bool& is_new) {
    for (int s = hash<slots>(col);; s = s + 1 < slots ? s + 1 : 0) {
        // Most columns are there already: a load says so in a fraction of the time.
        Index known = *static_cast<volatile Index*>(keys + s);
        if (known == -1) known = atomicCAS(keys + s, -1, col);
        is_new = known == -1;
        if (is_new || known == col) return s;
    }
}

/// Up to a lane each. They all stay: their weights need not be known.
template <int lanes>
struct ShortTable {
    using Team = fsai::Team<lanes>;
    static constexpr int rows = lanes, slots = 4 * lanes;

    Index keys[slots];
    Index cols[lanes];
    int n;
    Terms terms;

    __device__ Index column(int p) const { return cols[p]; }

    __device__ void clear(const Team& team) {
        for (int s = team.lane; s < slots; s += lanes) keys[s] = -1;
        if (team.lane == 0) n = 0;
        team.sync();
    }

    __device__ bool is_full() const { return *static_cast<const volatile int*>(&n) > lanes; }

    __device__ void add(Index col) {
        bool is_new;
        slot_of<slots>(keys, col, is_new);
        if (!is_new) return;
        const int p = atomicAdd(&n, 1);
        if (p < lanes) cols[p] = col;
    }
};

/// How many columns of row i there are; if they do not fit, the negative of a number that is not above that.
template <int lanes>
__device__ int find_columns(const Team<lanes>& team, ShortTable<lanes>& table, Index i, const RowProduct& of) {
    constexpr int lanes_of_term = 8, at_once = lanes / lanes_of_term;
    const Terms& terms = table.terms;
    table.terms.load(team, i, of);
    if (of.up_to_diagonal && terms.n_lower > lanes) return -terms.n_lower;
    table.clear(team);
    if (team.lane == 0) table.add(i);
    const Index last = of.up_to_diagonal ? i : none - 1;
    int k = team.lane / lanes_of_term, p = team.lane % lanes_of_term;
    const auto column = [&] { return k < terms.n && p < terms.length[k] ? of.right.cols[terms.begin[k] + p] : none; };
    Index next = column();  // on its way while the one before it is looked up
    while (k < terms.n && !table.is_full()) {
        const Index col = next;
        p += lanes_of_term;
        if (p >= terms.length[k]) {
            k += at_once;
            p = team.lane % lanes_of_term;
        }
        next = column();
        if (col <= last) table.add(col);
    }
    team.sync();
    return table.n <= lanes ? table.n : -(lanes + 1);
}

/// Of the longest rows. Up to `most` columns with their weights, Options::longest_row of which stay.
template <int slots_, int most_>
struct LongTable {
    using Team = fsai::Team<warp_size, 1>;
    static constexpr int rows = Options::longest_row, slots = slots_, most = most_;
    static_assert(most + rows < slots);

    Index keys[slots];
    double weights[slots];
    unsigned short slot[most + rows];  ///< of columns in the order in which they were found
    unsigned short kept[rows];         ///< their slots
    int n, n_kept;
    Terms terms;

    __device__ Index column(int p) const { return keys[kept[p]]; }
    __device__ double weight(int p) const { return weights[kept[p]]; }

    __device__ void clear(const Team& team) {
        for (int s = team.lane; s < slots; s += Team::lanes) keys[s] = -1;
        if (team.lane == 0) n = n_kept = 0;
        team.sync();
    }

    /// Lanes bring different columns at a time, so that weights are added up in the order of terms.
    __device__ void add(Index col, double weight) {
        bool is_new;
        const int s = slot_of<slots>(keys, col, is_new);
        if (!is_new) {
            weights[s] += weight;
            return;
        }
        weights[s] = weight;
        slot[atomicAdd(&n, 1)] = static_cast<unsigned short>(s);
    }

    /// The largest, of equals those in the first columns, and always column i. The upper bits of the least of them
    /// are found one by one; what has the same is ranked.
    __device__ void limit(const Team& team, Index i) {
        if (n <= rows) {
            for (int p = team.lane; p < n; p += Team::lanes) kept[p] = slot[p];
            if (team.lane == 0) n_kept = n;
            team.sync();
            return;
        }
        constexpr int others = rows - 1;
        const auto bits = [&](int p) { return bits_of(weights[slot[p]]); };
        const auto upper = [&](int p) { return static_cast<unsigned>(bits(p) >> 40); };
        const auto at_least = [&](unsigned least) {
            int found = 0;
            for (int base = 0; base < n; base += Team::lanes) {
                const int p = base + team.lane;
                found += team.count(p < n && keys[slot[p]] != i && upper(p) >= least);
            }
            return found;
        };
        unsigned cut = 0;
        int above = n;
        for (int bit = 22; bit >= 0 && above != others; --bit) {
            const unsigned higher = cut | 1u << bit;
            const int found = at_least(higher);
            if (found < others) continue;
            cut = higher;
            above = found;
        }
        const int room = above == others ? n : others - at_least(cut + 1);
        for (int p = team.lane; p < n; p += Team::lanes) {
            const Index own = keys[slot[p]];
            bool stays = own == i || upper(p) > cut;
            if (!stays && upper(p) == cut) {
                const unsigned long long own_bits = bits(p);
                int before = 0;
                for (int q = 0; q < n && room < n; ++q) {
                    const unsigned long long other = bits(q);
                    const bool is_alike = other >> 40 == cut;
                    if (!is_alike || other < own_bits) continue;
                    const Index col = keys[slot[q]];
                    before += col != i && (other > own_bits || col < own) ? 1 : 0;
                }
                stays = before < room;
            }
            if (stays) kept[atomicAdd(&n_kept, 1)] = slot[p];
        }
        team.sync();
    }
};

/// The columns up to `last` of the table's terms, with weight(factor, entry) added up; false where they do not fit.
template <int slots, int most, class Weight>
__device__ bool add_terms(const typename LongTable<slots, most>::Team& team, LongTable<slots, most>& table,
                          const RowsView& right, Index last, Weight&& weight) {
    using Team = typename LongTable<slots, most>::Team;
    constexpr int own_entries = rows_of_lane<Team, Options::longest_row>;  // of a term, at most
    const Terms& terms = table.terms;
    struct Entries {
        Index col[own_entries];
        double value[own_entries];
    };
    const auto entries = [&](int k) {
        Entries own;
#pragma unroll
        for (int u = 0; u < own_entries; ++u) {
            const int p = team.lane + u * Team::lanes;
            const bool is_one = k < terms.n && p < terms.length[k];
            own.col[u] = is_one ? right.cols[terms.begin[k] + p] : none;
            own.value[u] = is_one ? right.values[terms.begin[k] + p] : 0;
        }
        return own;
    };
    Entries ahead[] = {entries(0), entries(1), entries(2)};  // on their way while those before them are looked up
    for (int k = 0; k < terms.n; ++k) {
        const Entries own = ahead[0];
        ahead[0] = ahead[1];
        ahead[1] = ahead[2];
        ahead[2] = entries(k + 3);
#pragma unroll
        for (int u = 0; u < own_entries; ++u) {
            if (own.col[u] <= last) table.add(own.col[u], weight(terms.factor[k], own.value[u]));
        }
        team.sync();  // the next term may add to what another lane has begun
        if (team.count(table.n > most) > 0) return false;
    }
    return true;
}

template <int slots, int most>
__device__ int find_columns(const typename LongTable<slots, most>::Team& team, LongTable<slots, most>& table, Index i,
                            const RowProduct& of) {
    table.terms.load(team, i, of);
    table.clear(team);
    if (team.lane == 0) table.add(i, 0);
    team.sync();
    const Index last = of.up_to_diagonal ? i : none - 1;
    if (!add_terms(team, table, of.right, last, [](double factor, double value) { return factor * abs(value); })) {
        return -(most + 1);
    }
    table.limit(team, i);
    return table.n_kept;
}

/// Of most rows they take no more of a multiprocessor than local systems do; all fit into the second.
using SomeColumns = LongTable<672, 416>;
using AllColumns = LongTable<3072, Options::longest_row * Options::longest_row>;

/// The lane's columns of a table with n, and their places among them all in ascending order.
template <class Table>
struct Placed {
    using Team = typename Table::Team;
    static constexpr int own_columns = rows_of_lane<Team, Table::rows>;

    Index col[own_columns];
    int place[own_columns];

    __device__ Placed(const Team& team, const Table& table, int n) {
#pragma unroll
        for (int u = 0; u < own_columns; ++u) {
            const int k = team.lane + u * Team::lanes;
            col[u] = k < n ? table.column(k) : 0;
            place[u] = 0;
        }
        for (int p = 0; p < n; ++p) {
            const Index other = table.column(p);
#pragma unroll
            for (int u = 0; u < own_columns; ++u) place[u] += other < col[u] ? 1 : 0;
        }
    }

    /// f(u, number in the table) of each.
    template <class F>
    __device__ static void for_each(const Team& team, int n, F&& f) {
#pragma unroll
        for (int u = 0; u < own_columns; ++u) {
            const int k = team.lane + u * Team::lanes;
            if (k < n) f(u, k);
        }
    }
};

}  // namespace

}  // namespace stiefel::fsai
