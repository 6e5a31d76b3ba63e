#include "stiefel/analysis/symmetry.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <limits>

namespace stiefel {

namespace {

constexpr int search_lanes = 8;  // of a row

using Word = unsigned long long;

/// The position of `col` among the ascending columns of a row, or its end.
template <class Offset>
__device__ Offset find_column(const Index* col_idx, Offset low, Offset end, Index col) {
    for (Offset high = end; low < high;) {
        const Offset middle = low + (high - low) / 2;
        if (col_idx[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && col_idx[low] == col ? low : end;
}

/// Whether an entry differs from its mirror image or has none. Ends with the first of them.
template <class T, class Offset>
__global__ void mirror_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                              volatile int* differs) {
    const Size row = thread_number() / search_lanes;
    if (row >= n_rows) return;
    for (Offset k = row_ptr[row] + static_cast<Offset>(threadIdx.x % search_lanes); k < row_ptr[row + 1];
         k += search_lanes) {
        const Index col = col_idx[k];
        const Offset end = row_ptr[col + 1];
        const Offset image = find_column(col_idx, row_ptr[col], end, static_cast<Index>(row));
        if (col != row && !(image < end && values[k] == values[image])) *differs = 1;
        if (*differs != 0) return;
    }
}

template <class T>
bool is_mirrored(Cuda& backend, const DeviceCsr<T>& a) {
    DeviceVector<int> differs(backend, 1);
    backend.zero_bytes(differs.data(), differs.bytes());
    const unsigned blocks = element_blocks(Size{a.n_rows} * search_lanes);
    a.row_ptr.visit([&](const auto* row_ptr) {
        mirror_kernel<<<blocks, element_threads, 0, backend.stream()>>>(a.n_rows, row_ptr, a.col_idx.data(),
                                                                        a.values.data(), differs.data());
    });
    check_cuda(cudaGetLastError(), "comparing a matrix with its transpose");
    return load(backend, differs) == 0;
}

/// What the threads of a grid look for. All words are found as largest ones, 0 where there is none yet.
struct Search {
    Word n_unmirrored;
    Word first_unmirrored;          ///< rank_of its place
    Word largest;                   ///< rank_of the asymmetry
    Word largest_pair, first_pair;  ///< rank_of their places
};

/// Larger for entries that come earlier in row order; never 0.
__device__ Word rank_of(Index row, Index col) {
    return ~(static_cast<Word>(row) << 32 | static_cast<unsigned>(col));
}

/// Larger for larger ones; never 0. The bits of non-negative doubles are ordered as they are.
__device__ Word rank_of(double asymmetry) {
    return static_cast<Word>(__double_as_longlong(asymmetry)) + 1;
}

/// By one atomic a warp. All lanes call it.
__device__ void offer(Word* to, Word rank) {
    for (int step = warp_size / 2; step > 0; step /= 2) rank = max(rank, __shfl_xor_sync(all_lanes, rank, step));
    if (threadIdx.x % warp_size == 0 && rank != 0) atomicMax(to, rank);
}

/// As asymmetry() of the host, bit for bit.
__device__ double asymmetry_of(double value, double mirrored, double row_max, double col_max) {
    const double relative = fabs(value - mirrored) / sqrt(row_max) / sqrt(col_max);
    return isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

template <class T>
__global__ void __launch_bounds__(element_threads) largest_of_rows_kernel(cuda::CsrView<T> a, double* largest) {
    const Size row = thread_number() / search_lanes;
    double found = 0;
    if (row < a.n_rows) {
        for (Size k = a.row_ptr[row] + threadIdx.x % search_lanes; k < a.row_ptr[row + 1]; k += search_lanes) {
            found = fmax(found, fabs(double{a.values[k]}));  // passes over NaN
        }
    }
    for (int step = search_lanes / 2; step > 0; step /= 2) {
        found = fmax(found, __shfl_xor_sync(all_lanes, found, step));
    }
    if (row < a.n_rows && threadIdx.x % search_lanes == 0) largest[row] = found;
}

/// Entry k of a row beside its mirror image.
template <class T>
struct Mirrored {
    MirroredPair pair;
    bool is_stored;  ///< the mirror image
    bool differs;    ///< and this is where the pair is compared: at its upper entry, or the only one

    __device__ Mirrored(const cuda::CsrView<T>& a, const double* largest, Index row, Size k) {
        const Index col = a.col_idx[k];
        const Size end = a.row_ptr[col + 1];
        const Size image = find_column<Size>(a.col_idx, a.row_ptr[col], end, row);
        is_stored = image < end;
        const double value = a.values[k], mirrored = is_stored ? double{a.values[image]} : 0.0;
        differs = row != col && (row < col || !is_stored) && !(value == mirrored);
        if (!differs) return;
        const double relative = asymmetry_of(value, mirrored, largest[row], largest[col]);
        pair = row < col ? MirroredPair{row, col, value, mirrored, relative}
                         : MirroredPair{col, row, mirrored, value, relative};
    }
};

template <class T>
__global__ void __launch_bounds__(element_threads)
    compare_kernel(cuda::CsrView<T> a, const double* largest, double tolerance, Search* search) {
    const Size row = thread_number() / search_lanes;
    Word n_unmirrored = 0, first_unmirrored = 0, most = 0, first_pair = 0;
    if (row < a.n_rows) {
        for (Size k = a.row_ptr[row] + threadIdx.x % search_lanes; k < a.row_ptr[row + 1]; k += search_lanes) {
            const Mirrored<T> at(a, largest, static_cast<Index>(row), k);
            if (!at.is_stored) {
                ++n_unmirrored;
                first_unmirrored = max(first_unmirrored, rank_of(static_cast<Index>(row), a.col_idx[k]));
            }
            if (!at.differs) continue;
            most = max(most, rank_of(at.pair.asymmetry));
            if (at.pair.asymmetry > tolerance) first_pair = max(first_pair, rank_of(at.pair.row, at.pair.col));
        }
    }
    n_unmirrored = lanes_sum(n_unmirrored);
    if (threadIdx.x % warp_size == 0 && n_unmirrored != 0) atomicAdd(&search->n_unmirrored, n_unmirrored);
    offer(&search->first_unmirrored, first_unmirrored);
    offer(&search->largest, most);
    offer(&search->first_pair, first_pair);
}

/// The first of the pairs whose asymmetry is the largest.
template <class T>
__global__ void __launch_bounds__(element_threads)
    largest_pair_kernel(cuda::CsrView<T> a, const double* largest, Search* search) {
    const Size row = thread_number() / search_lanes;
    Word found = 0;
    if (row < a.n_rows) {
        for (Size k = a.row_ptr[row] + threadIdx.x % search_lanes; k < a.row_ptr[row + 1]; k += search_lanes) {
            const Mirrored<T> at(a, largest, static_cast<Index>(row), k);
            if (!at.differs || rank_of(at.pair.asymmetry) != search->largest) continue;
            found = max(found, rank_of(at.pair.row, at.pair.col));
        }
    }
    offer(&search->largest_pair, found);
}

/// What the host is told.
struct Found {
    EntryTally unmirrored;
    MirroredPair largest, first;
    bool has_largest, has_first;
};

/// The pair of a rank, from whichever of its entries is stored.
template <class T>
__device__ bool look_up(const cuda::CsrView<T>& a, const double* largest, Word rank, MirroredPair& pair) {
    if (rank == 0) return false;
    const auto upper_row = static_cast<Index>(~rank >> 32), upper_col = static_cast<Index>(~rank & 0xffffffffu);
    for (const bool upper : {true, false}) {
        const Index row = upper ? upper_row : upper_col, col = upper ? upper_col : upper_row;
        const Size end = a.row_ptr[row + 1], k = find_column<Size>(a.col_idx, a.row_ptr[row], end, col);
        if (k == end) continue;
        pair = Mirrored<T>(a, largest, row, k).pair;
        break;
    }
    return true;
}

template <class T>
__global__ void tell_kernel(cuda::CsrView<T> a, const double* largest, const Search* search, Found* found) {
    found->unmirrored = {};
    if (search->n_unmirrored > 0) {
        const Word place = ~search->first_unmirrored;
        found->unmirrored = {static_cast<Size>(search->n_unmirrored), static_cast<Index>(place >> 32),
                             static_cast<Index>(place & 0xffffffffu)};
    }
    found->has_largest = look_up(a, largest, search->largest_pair, found->largest);
    found->has_first = look_up(a, largest, search->first_pair, found->first);
}

}  // namespace

template <class T>
SymmetryInfo check_symmetry(Cuda& backend, const DeviceCsr<T>& a, double tolerance) {
    require(a.n_rows == a.n_cols, "check_symmetry: A must be square");
    if (a.n_rows == 0 || is_mirrored(backend, a)) return {};
    DeviceVector<double> largest(backend, a.n_rows);
    DeviceVector<Search> search(backend, 1);
    DeviceVector<Found> found(backend, 1);
    backend.zero_bytes(search.data(), search.bytes());
    const cuda::CsrView<T> view(a);
    const unsigned blocks = element_blocks(Size{a.n_rows} * search_lanes);
    cudaStream_t const stream = backend.stream();
    largest_of_rows_kernel<<<blocks, element_threads, 0, stream>>>(view, largest.data());
    compare_kernel<<<blocks, element_threads, 0, stream>>>(view, largest.data(), tolerance, search.data());
    largest_pair_kernel<<<blocks, element_threads, 0, stream>>>(view, largest.data(), search.data());
    tell_kernel<<<1, 1, 0, stream>>>(view, largest.data(), search.data(), found.data());
    check_cuda(cudaGetLastError(), "measuring the symmetry of a matrix");
    const Found told = load(backend, found);
    SymmetryInfo info{.unmirrored = told.unmirrored, .largest = {}, .first = {}};
    if (told.has_largest) info.largest = told.largest;
    if (told.has_first) info.first = told.first;
    return info;
}

template SymmetryInfo check_symmetry(Cuda&, const DeviceCsr<double>&, double);
template SymmetryInfo check_symmetry(Cuda&, const DeviceCsr<float>&, double);

}  // namespace stiefel
