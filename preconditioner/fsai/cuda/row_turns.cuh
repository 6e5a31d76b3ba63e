#pragma once

#include "stiefel/preconditioner/fsai/cuda/row_columns.cuh"

#include <algorithm>
#include <utility>

// Which kernel takes which rows: all of them the one with the least room, and what does not fit those with more.

namespace stiefel::fsai {

namespace {

/// Kernels by how many columns of a row fit. Each takes the rows that those before it left to it, so all run from the
/// first one on.
enum class Room { of_8, of_16, of_32, some, all };

constexpr int most_columns(int room) {
    constexpr int most[] = {8, 16, 32, SomeColumns::most, AllColumns::most};
    return most[room];
}

/// The rows of a kernel, and where it leaves those that do not fit.
struct Turn {
    static constexpr int rooms = 5;

    Index n_rows;
    int room;
    bool takes_all;       ///< by as many teams
    Index* rows;          ///< n_rows places for each room
    unsigned* n_rows_of;  ///< each
    unsigned* n_taken;    ///< of each

    /// To a kernel whose room is enough for so many columns.
    __device__ void leave(Index row, int columns) const {
        int to = room + 1;
        while (most_columns(to) < columns) ++to;
        rows[Size{to} * n_rows + atomicAdd(n_rows_of + to, 1u)] = row;
    }
};

/// The rows of a turn that a team takes, one after another.
template <class Team>
class TakenRows {
public:
    __device__ TakenRows(const Team& team, const Turn& turn) : team_(team), turn_(turn) {
        if (!turn.takes_all) return;
        next_ = static_cast<unsigned>(blockIdx.x * Team::in_block + team.number);
        end_ = min(next_ + 1, static_cast<unsigned>(turn.n_rows));
    }

    /// The next, or -1. All lanes call it together.
    __device__ Index next() {
        if (next_ >= end_ && !turn_.takes_all) take();
        if (next_ >= end_) return -1;
        const unsigned k = next_++;
        return turn_.takes_all ? static_cast<Index>(k) : turn_.rows[Size{turn_.room} * turn_.n_rows + k];
    }

private:
    /// Where there are many rows some at a time, as teams that are soon done would wait for one another's turn; never
    /// so many that others have none.
    __device__ void take() {
        const unsigned n = turn_.n_rows_of[turn_.room];
        const unsigned at_once = min(max(n / (4 * gridDim.x * Team::in_block), 1u), 8u);
        __shared__ unsigned taken[Team::in_block];
        team_.sync();
        if (team_.lane == 0) taken[team_.number] = atomicAdd(turn_.n_taken + turn_.room, at_once);
        team_.sync();
        next_ = taken[team_.number];
        end_ = min(next_ + at_once, n);
    }

    const Team& team_;
    const Turn& turn_;
    unsigned next_ = 0, end_ = 0;
};

/// Of kernels one after another, in the order of their room.
class Turns {
public:
    Turns(Cuda& backend, Index n_rows)
        : n_rows_(n_rows), rows_(backend, Size{n_rows} * Turn::rooms), counts_(backend, 2 * Turn::rooms) {
        backend.zero_bytes(counts_.data(), counts_.bytes());
    }

    Turn next(Room room) {
        const bool is_first = std::exchange(is_first_, false);
        return {n_rows_, static_cast<int>(room), is_first, rows_.data(), counts_.data(), counts_.data() + Turn::rooms};
    }

    /// Of a grid for it, whose blocks need so many bytes of shared memory: as many as run at a time, where they take
    /// rows as they are done with others.
    static unsigned blocks(const Cuda& backend, const Turn& turn, int teams_in_block, std::size_t shared_bytes) {
        const Size all = std::max<Size>((Size{turn.n_rows} + teams_in_block - 1) / teams_in_block, 1);
        if (turn.takes_all) return static_cast<unsigned>(all);
        constexpr Size of_block = 1024, most_of_multiprocessor = 32;
        const CudaDevice& device = backend.device();
        const Size of_multiprocessor = device.shared_bytes_per_block / (static_cast<Size>(shared_bytes) + of_block) + 1;
        return static_cast<unsigned>(
            std::min(all, device.multiprocessors * std::min(of_multiprocessor, most_of_multiprocessor)));
    }

private:
    Index n_rows_;
    bool is_first_ = true;
    DeviceVector<Index> rows_;
    DeviceVector<unsigned> counts_;
};

}  // namespace

}  // namespace stiefel::fsai
