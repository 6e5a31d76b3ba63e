#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::cuda {

/// How the kernel `binned` is laid out: one block a multiprocessor, whose first threads gather x while groups of the
/// others add up rows. Measured on an H100 with power-law rows in double: a ring of 3 steps 127 us, 4 131 us, 6 145 us,
/// as a longer one is pushed out of the cache; two groups 163 us.
template <class T>
struct BinLayout {
    static constexpr int unit = 32 / static_cast<int>(sizeof(T));     ///< elements of a memory sector
    static constexpr int tile = 32768 / static_cast<int>(sizeof(T));  ///< nonzeros that a group adds up at a time
    static constexpr int groups = 3;
    static constexpr int group_threads = 256;
    static constexpr int gather_threads = 256;
    static constexpr int threads = gather_threads + groups * group_threads;
    static constexpr int items = tile / group_threads;       ///< nonzeros of a thread of a group
    static constexpr int padded_tile = tile + tile / items;  ///< one place in items is skipped: see padded()
    static constexpr int ring = 3;  ///< steps that gathered x may lie between its writer and reader
    static_assert(tile % CsrShares::nonzeros == 0 && (items == 16 || items == 32));

    /// Where item i of a tile lies in shared memory, so that threads that walk `items` each meet in no bank.
    static constexpr int padded(int i) { return i + i / items; }
};

/// Columns are told apart into strips by groups of so many.
inline constexpr Index columns_per_group = 64;

/// Built once a matrix, on the device but for the borders of the strips: linear in the nonzeros. `fits` is false where
/// the device's shared memory is too small, or x too long for it.
template <class T>
CsrBins<T> make_csr_bins(Cuda& backend, const DeviceCsr<T>& a);

/// Where bins may pay: x does not fit into what a multiprocessor caches, and there are steps enough to hide the first
/// and the last.
template <class T>
bool bins_may_win(const Cuda& backend, const DeviceCsr<T>& a) {
    constexpr Size least_nonzeros = 1 << 20;
    return a.nnz() >= least_nonzeros &&
           a.n_cols * static_cast<Size>(sizeof(T)) > backend.device().shared_bytes_per_block;
}

}  // namespace stiefel::cuda
