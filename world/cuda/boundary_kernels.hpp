#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/matrix_view.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/kernel_list.hpp"

#include <cstddef>

namespace stiefel::cuda {

// The kernels of BoundaryRows on a GPU. Each product has a number, its round, which seals its letters; boxes have room
// for the letters of two rounds, one after the other.

inline constexpr Size letter_bytes = 16;

/// Where the numbers of the sent rows go: those from first[i] on to the i-th neighbour, as letters into its memory, or
/// packed into a parcel in memory of the host.
struct Addresses {
    static constexpr int most = 32;

    int n = 0;
    Size first[most + 1] = {};
    std::byte* box[most] = {};  ///< there; of a parcel, both rounds'
    Size place[most] = {};      ///< of this rank's first letter among those of a round
    Size of_round[most] = {};   ///< letters of one round in that box; of a parcel, its bytes
    bool in_parcel[most] = {};
    unsigned* ticket = nullptr;  ///< for parcels: 0, on this GPU
};

/// Sends rows sent[0], sent[1], ... of x, on a stream beside the backend's.
template <class T>
void send(Cuda& backend, CUstream_st* on, DeviceMatrix<const T> x, const Index* sent, const Addresses& to,
          const unsigned* last_round);

/// Parcels that come to memory of the host, and which ghosts they hold.
struct Parcels {
    int n = 0;
    const std::byte* parcel[Addresses::most] = {};  ///< both rounds'
    Size parcel_bytes[Addresses::most] = {};        ///< of one
    Size first[Addresses::most + 1] = {};           ///< numbers of those before, per column
    Size place[Addresses::most] = {};               ///< of the first ghost among all
    unsigned* notes = nullptr;                      ///< on this GPU: the rounds that have come
};

/// Makes letters of the parcels of the next round, `columns` for each ghost, in a box with so many of one round, and
/// tells the world how long it has waited for them.
void bring(Cuda& backend, const Parcels& parcels, Index columns, std::byte* box, Size of_round,
           const unsigned* last_round, DeviceWorld* world);

/// Boundary rows and what columns of others have in them, as compressed sparse rows.
template <class T, class Offset>
struct Boundary {
    Size n;    ///< rows
    Size nnz;  ///< that they have of others
    const Index* rows;
    const Offset* row_ptr;
    const Index* ghosts;  ///< of each entry, the column
    const T* values;
    const std::byte* box;  ///< for the ghosts
    Size of_round;         ///< letters of one round
    unsigned* round;       ///< the last
    DeviceWorld* world;    ///< is told how long letters were waited for
};

/// y += alpha A x_beyond in the boundary rows, and ends the round. With dot: *dot, <x, y> before, becomes <x, y> of all
/// ranks.
template <class T, class Offset>
void finish(Cuda& backend, const Boundary<T, Offset>& boundary, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha,
            double* dot);

/// The whole product in one kernel, y = A x and *dot = <x, y> of all ranks, where all neighbours are reached: all
/// blocks send their letters, multiply by their part of the own columns, read letters for their part of the boundary
/// rows, and add what these have brought while the sum goes over all ranks. Blocks wait for each other and for other
/// GPUs, so no two ranks may share one. brought: room for a number of each boundary row.
template <class T, class Offset>
void multiply(Cuda& backend, const DeviceCompressedSell<T>& own, const Index* sent, const Addresses& to,
              const Boundary<T, Offset>& boundary, T* brought, const SpmvArguments<T>& arguments);

/// What a kernel that makes many products needs, to send the elements of its vectors that others need and to hear
/// theirs. It counts the rounds itself, from *round on, where it leaves the last.
struct LetterWays {
    const Index* sent;  ///< rows, by neighbour
    Addresses to;
    const std::byte* box;  ///< for the ghosts
    Size of_round;         ///< letters of one round
    unsigned* round;
    DeviceWorld* world;
};

/// Vectors to which what columns of others have is added: to[i] += times[i] A x_beyond.
template <class T>
struct Corrected {
    static constexpr int most = 3;

    T* to[most] = {};
    T times[most] = {};
    int n = 0;
};

/// Does so, and ends the round.
template <class T, class Offset>
void correct(Cuda& backend, const Boundary<T, Offset>& boundary, const Corrected<T>& corrected);

/// All GPUs have come here.
void meet(Cuda& backend);

}  // namespace stiefel::cuda
